import type { ChildProcess } from "node:child_process"
import type { Readable } from "node:stream"
import { PilothouseError } from "@pilothouse/seams"
import { findProgram } from "../security/system-powers.ts"
import type { ProcessCall, StreamedProcess } from "./spawn.ts"

/** The descriptor on which a process says which terminal it has got. */
const terminalDescriptor = 3

/**
 * Returns the call that runs a program in a new pseudo-terminal, by script(1) of util-linux: Node has none of its own. The path of the terminal comes on
 * descriptor 3, so that it can be resized with stty(1).
 */
export type InTerminal = (call: ProcessCall) => Promise<ProcessCall>

/** Returns how a call runs in a terminal. The programs of this host are looked up once: they do not change while this program runs. */
export function terminals(): InTerminal {
  let known: Promise<string | undefined> | undefined
  return async (call) => {
    const script = await (known ??= terminalProgram())
    if (script === undefined) throw noTerminal()
    return inTerminal(call, script)
  }
}

function inTerminal(call: ProcessCall, script: string): ProcessCall {
  const { SHELL, TERM = "xterm" } = call.env
  // script(1) starts the command with this shell; the program has the one that its container says.
  const shell = SHELL === undefined ? "unset SHELL" : `export SHELL=${quotedWord(SHELL)}`
  const command = `tty >&${terminalDescriptor}; exec ${terminalDescriptor}>&-; ${shell}; exec ${call.argv.map(quotedWord).join(" ")}`
  const argv = [script, "--quiet", "--return", "--flush", "--echo", "always", "--command", command, "/dev/null"]
  return { ...call, argv, env: { ...call.env, TERM, SHELL: "/bin/sh" } }
}

/** A word that a shell takes as it is. */
function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function noTerminal(): PilothouseError {
  const missing = "a terminal needs script(1) of util-linux 2.36 or newer, which was not found on this host"
  return new PilothouseError("INVALID", `${missing}; install it, or leave out -t (--tty)`)
}

/** script(1) of util-linux; those of other systems have other options. */
async function terminalProgram(): Promise<string | undefined> {
  const script = findProgram("script", { path: process.env.PATH ?? "" })
  if (script === undefined) return undefined
  const { execFile } = await import("node:child_process")
  const help = await new Promise<string>((done) => execFile(script, ["--help"], (_error, output) => done(output)))
  return ["--return", "--flush", "--echo", "--command"].every((option) => help.includes(option)) ? script : undefined
}

/** Sets the size of the terminal once its path is known; of sizes that come before only the last counts. */
export function resizer(child: ChildProcess): NonNullable<StreamedProcess["resize"]> {
  let terminal = ""
  let wanted: { readonly width: number; readonly height: number } | undefined
  let isSetting = false
  const set = async () => {
    if (isSetting || terminal === "" || wanted === undefined || child.exitCode !== null) return
    const { width, height } = wanted
    wanted = undefined
    isSetting = true
    const { execFile } = await import("node:child_process")
    execFile("stty", ["-F", terminal, "cols", String(width), "rows", String(height)], () => {
      // Where stty(1) fails the terminal keeps its size. Meanwhile another may have come.
      isSetting = false
      void set()
    })
  }
  const said = child.stdio[terminalDescriptor] as Readable | null | undefined
  let text = ""
  said
    ?.on("error", () => undefined)
    .on("data", (chunk: Buffer) => {
      text = `${text}${chunk.toString()}`.slice(0, 100)
      const [, path] = /^(\/dev\/\S+)\n/.exec(text) ?? []
      if (path === undefined) return
      terminal = path
      void set()
    })
  return (size) => {
    wanted = size
    void set()
  }
}
