import { type SpawnSyncReturns, spawnSync } from "node:child_process"

export const controllerRuntime = "v0.25.2"

/** Milliseconds; a first run compiles client-go. */
const patience = 30 * 60_000

/** Runs the go command, in a folder where that matters. */
export type Go = (words: readonly string[], directory?: string) => SpawnSyncReturns<string>

export function goWith(environment: Readonly<Record<string, string>>): Go {
  const env = { ...process.env, GOWORK: "off", ...environment }
  return (words, cwd) => spawnSync("go", words, { cwd, env, encoding: "utf8", timeout: patience, maxBuffer: 64 * 1024 * 1024 })
}
