import { readProfiles, type SchedulerProfile } from "@pilothouse/nodes"
import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { parse } from "yaml"

/** Reads the file of --scheduler-config. What is wrong names the file. */
export function schedulerProfiles(files: Files, path: string): readonly SchedulerProfile[] {
  const text = readText(files, path)
  if (text === undefined) throw new PilothouseError("USAGE", `--scheduler-config: expected a file at ${path}, found none`)
  try {
    return readProfiles(parse(text))
  } catch (cause) {
    throw new PilothouseError("USAGE", `--scheduler-config ${path}: ${messageOf(cause)}`, { cause })
  }
}
