import type { ApiServerFlags } from "./start.ts"

/** "0.0.0.0", "::" and how else that is written: good to listen on, and nowhere to go to. */
export function isUnspecified(address: string): boolean {
  return /^(0\.0\.0\.0|0*:[0:]*)$/.test(address)
}

/** The address for clients: as the flags say, else one of this machine's. IPv4 first, as Services have it; on a machine without a network only itself can ask. */
export function advertisedAddress(flags: Pick<ApiServerFlags, "advertiseAddress" | "bindAddress">, own: readonly string[] = []): string {
  const said = [flags.advertiseAddress, flags.bindAddress].find((address) => address !== undefined && !isUnspecified(address))
  return said ?? own.find((address) => !address.includes(":")) ?? own[0] ?? "127.0.0.1"
}
