import { SETTINGS, type Settings } from "./settings.ts";
import { type FlagValuesOf, type LayerOf, readerOf, type SettingsReader } from "./table.ts";

export type Layer = LayerOf<Settings>;
export type FlagValues = FlagValuesOf<Settings>;

/** Reads the settings of `quasar`. */
export const QUASAR: SettingsReader<Settings> = readerOf(SETTINGS, {
  prefix: "QUASAR_",
  otherVariables: [
    ...["QUASAR_RUN_ID", "QUASAR_TURN_ID", "QUASAR_DEBUG", "QUASAR_TREES"],
    "QUASAR_PORT_BASE",
    ...["QUASAR_EVENT", "QUASAR_MESSAGE"],
    "QUASAR_RESTATE_SERVER",
  ],
});

export const {
  tomlLayer,
  envLayer,
  flagLayer,
  resolve,
  toToml,
  guardedOf,
  unkeptOf,
  fromRepository,
} = QUASAR;
