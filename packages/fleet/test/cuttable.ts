import { type NebulaPort, PortError } from "@quasar/nebula/port";

/** A port that can be out of reach. */
export function cuttable(port: NebulaPort): { readonly port: NebulaPort; cut: boolean } {
  const link = { cut: false };
  const through = new Proxy(port, {
    get(target, name: keyof NebulaPort) {
      const call = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (link.cut) return Promise.reject(new PortError("ERR_UNREACHABLE", "cut"));
        return call.apply(target, args);
      };
    },
  });
  return Object.defineProperty({ port: through, cut: false }, "cut", {
    get: () => link.cut,
    set(isCut: boolean) {
      link.cut = isCut;
    },
  });
}
