import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { backgroundLog } from "../data-directory/data-directory.ts"

export interface BackgroundOptions {
  /** Its data directory, which exists and is free. */
  readonly directory: string
  readonly files: Files
}

/** The flags of this process that the other one does not get. */
const ownFlags: ReadonlySet<string> = new Set(["--detach", "--detach=true", "--json", "--json=true"])

/** How much of the log an error shows. */
const maxShown = 4096

/**
 * Starts a cluster in a process of its own that outlives this one and its terminal. Resolves with the line of facts that it prints when the cluster is
 * up; rejects with its last log lines where it ends before. What it logs later is in up.log of the data directory.
 */
export async function startInBackground({ directory, files }: BackgroundOptions): Promise<string> {
  const path = join(directory, backgroundLog)
  const log = newLog(path)
  try {
    const [, ...words] = process.argv
    const args = [...process.execArgv, ...words.filter((word) => !ownFlags.has(word)), "--json"]
    const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", log] })
    const line = await firstLine(child.stdout, child)
    if (line === undefined) throw new PilothouseError("BACKGROUND_START", `the cluster did not start: ${lastLines(files, path)}`)
    child.stdout?.destroy()
    child.unref()
    return line
  } finally {
    closeSync(log)
  }
}

/** Always a file of its own: a link in a directory that came from elsewhere would lead what is written to any file of the user. */
export function newLog(path: string): number {
  try {
    rmSync(path, { force: true })
    return openSync(path, "wx", 0o600)
  } catch (error) {
    throw new PilothouseError("BACKGROUND_START", `the log ${path} cannot be made: ${messageOf(error)}; remove what is there`)
  }
}

/** Undefined where the process ends before it has printed one. */
function firstLine(output: Readable | null, child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ""
    output?.setEncoding("utf8")
    output?.on("data", (part: string) => {
      text += part
      const end = text.indexOf("\n")
      if (end >= 0) resolve(text.slice(0, end))
    })
    child.once("error", () => resolve(undefined))
    child.once("close", () => resolve(undefined))
  })
}

function lastLines(files: Files, path: string): string {
  const text = (readText(files, path) ?? "").trim().slice(-maxShown)
  return text === "" ? `it said nothing in ${path}` : text.replace(/^pilothouse: /, "")
}
