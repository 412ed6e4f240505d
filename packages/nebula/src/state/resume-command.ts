/** What a person types so that the work on a nebula continues. */
export function resumeCommand({ id }: { readonly id: string }): string {
  return `quasar nebula apply ${id} --auto --resume`;
}
