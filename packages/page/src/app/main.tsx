import { render } from "preact";
import { DATA_ID, type Embedded } from "../embedded.ts";
import { embeddedSource } from "./embedded-source.ts";
import { followLinks } from "./follow-links.ts";
import { Report } from "./report.tsx";
// oxlint-disable-next-line import/no-unassigned-import -- the bundler takes it into the style
import "./style.css";

const data = JSON.parse(document.getElementById(DATA_ID)?.textContent ?? "") as Embedded;
const root = document.getElementById("report");
if (root !== null) render(<Report embedded={data} source={embeddedSource(data)} />, root);
followLinks();
