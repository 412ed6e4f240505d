import { render } from "preact";
import { followLinks } from "../follow-links.ts";
import { Live } from "./live.tsx";
import { serverOf } from "./server.ts";
import { takeToken } from "./token.ts";
// oxlint-disable-next-line import/no-unassigned-import -- the bundler takes it into the style
import "../style.css";
// oxlint-disable-next-line import/no-unassigned-import -- likewise
import "./live.css";

const server = serverOf(takeToken());
const root = document.getElementById("report");
if (root !== null) render(<Live server={server} />, root);
followLinks();
