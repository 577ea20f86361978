import { PilothouseError } from "@pilothouse/seams"
import type { ExecEntry } from "./types.ts"

export const execApiVersions: readonly string[] = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

/** v1beta1 had no interactiveMode at first: without one it means IfAvailable. In v1 it has to be said. */
export function isInteractive({ apiVersion, interactiveMode }: ExecEntry, terminal: boolean, whose: string): boolean {
  const mode = interactiveMode ?? (apiVersion === execApiVersions[1] ? "IfAvailable" : undefined)
  if (mode === "Never") return false
  if (mode === "IfAvailable") return terminal
  if (mode !== "Always") {
    const found = mode === undefined ? "none" : JSON.stringify(mode)
    throw new PilothouseError(
      "INVALID",
      `expected interactiveMode Never, IfAvailable or Always in exec of ${whose}, found ${found}; set it`,
    )
  }
  if (terminal) return true
  throw new PilothouseError(
    "CREDENTIALS",
    `expected a terminal, because the exec plugin of ${whose} has interactiveMode Always, found none; log in by hand first, or use another user`,
  )
}
