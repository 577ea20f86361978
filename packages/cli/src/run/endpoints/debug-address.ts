import { hostAndPort } from "@pilothouse/apiserver"
import { type Flag, textFlag } from "@pilothouse/runtime"
import { advertisedAddress } from "../../apiserver/advertised-address.ts"
import type { OwnSettings } from "../flags.ts"

/** A URL, also as templates make it of a pod's address: that of an IPv6 pod has no brackets. */
export function debugAddressFlag(about: string): Flag<string> {
  const text = textFlag("", about)
  return { ...text, parse: (given) => withBrackets(text.parse(given)) }
}

/** "https://fd00::1:10257" → "https://[fd00::1]:10257" */
function withBrackets(url: string): string {
  return url.replace(/^(https?:\/\/)([\da-f]*:[\da-f:]*:[\da-f]*)(:\d+\/?)$/i, "$1[$2]$3")
}

/** Where clients find the port of the leader; `own` are the addresses of this machine, for a port that listens on all of them. */
export function debugAddressOf(settings: OwnSettings, own: readonly string[]): string {
  const { "bind-address": bindAddress, "secure-port": port, "debug-address": said } = settings
  return said || `https://${hostAndPort(advertisedAddress({ bindAddress }, own), port)}`
}
