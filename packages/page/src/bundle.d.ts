/** Runs in the page: draws the report that is embedded in it. */
export declare const SCRIPT: string;
/** The page's style sheet. */
export declare const STYLE: string;
