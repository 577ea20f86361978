import { hostAndPort } from "@pilothouse/apiserver"
import { advertisedAddress } from "../../apiserver/advertised-address.ts"
import type { OwnSettings } from "../flags/flags.ts"

/** Where clients find the port of the leader; `own` are the addresses of this machine, for a port that listens on all of them. */
export function debugAddressOf(settings: OwnSettings, own: readonly string[]): string {
  const { "bind-address": bindAddress, "secure-port": port, "debug-address": said } = settings
  return said || `https://${hostAndPort(advertisedAddress({ bindAddress }, own), port)}`
}
