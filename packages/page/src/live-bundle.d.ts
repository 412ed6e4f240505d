/** Runs in the live page: follows its server and draws what that sends. */
export declare const SCRIPT: string;
/** The page's style sheet. */
export declare const STYLE: string;
