import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { checkDns1123Label } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { somePath } from "../flags/flag-values.ts"

/** Which cluster of this machine a command is about. */
export interface DirectoryOptions {
  readonly dataDir?: string
  readonly name?: string
}

/** Where `up` keeps a cluster when neither flag names one. */
export const defaultDirectory = ".pilothouse"

/** `--data-dir` and `--name`, of every command that is about a cluster of this machine. */
export function addDirectoryOptions(command: Command, dataDir: string): Command {
  return command
    .option("--data-dir <path>", dataDir, somePath("--data-dir"))
    .option("--name <name>", "the cluster of that name, whose data directory is ~/.local/share/pilothouse/<name>", clusterName)
}

function clusterName(text: string): string {
  if (checkDns1123Label(text).length === 0) return text
  throw new PilothouseError(
    "USAGE",
    `expected a name of at most 63 lower case letters, digits and "-" for --name, such as "demo", found "${text}"`,
  )
}

/** Returns the data directory that the flags name, relative as it was given. */
export function directoryOf({ dataDir, name }: DirectoryOptions): string {
  if (dataDir !== undefined && name !== undefined)
    throw new PilothouseError(
      "USAGE",
      "expected one of --name and --data-dir, found both: a cluster with a name has a directory of its own",
    )
  return name === undefined ? (dataDir ?? defaultDirectory) : join(namedClusters(), name)
}

/** The directory that holds those of all named clusters. */
export function namedClusters(): string {
  return resolve(homedir(), ".local", "share", "pilothouse")
}
