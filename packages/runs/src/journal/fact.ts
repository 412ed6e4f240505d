/** What a run's journal holds: a fact as plain data. */
export type Fact = Readonly<Record<string, unknown>> & { readonly type: string };
