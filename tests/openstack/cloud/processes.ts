import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { openSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

/** The programs of one cloud. All of them end with this process, newest first. */
export class Processes implements AsyncDisposable {
  readonly #directory: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #children: { readonly name: string; readonly child: ChildProcess }[] = []

  constructor(directory: string) {
    this.#directory = directory
    const { PATH, HOME, LANG } = process.env
    const own = { PILOTHOUSE_CLOUD: directory, PYTHONPATH: join(directory, "lib"), NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" }
    this.#environment = { PATH: `${PATH}:/usr/sbin`, HOME, LANG, ...own }
    process.once("exit", () => {
      for (const { child } of this.#children) signalGroup(child, "SIGKILL")
    })
  }

  /** Its own group: uwsgi and Neutron have children of their own. */
  start(name: string, command: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
    const log = openSync(this.#log(name), "a")
    const [program = "", ...words] = command
    const child = spawn(program, words, { detached: true, env: { ...this.#environment, ...environment }, stdio: ["ignore", log, log] })
    this.#children.unshift({ name, child })
  }

  /** Runs a program to its end. */
  run(name: string, command: readonly string[], input?: string): void {
    const [program = "", ...words] = command
    const { status, stdout, stderr } = spawnSync(program, words, { env: this.#environment, encoding: "utf8", input })
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${(stderr || stdout).slice(-1500)}`)
  }

  async ready(name: string, port: number, limit = 180_000): Promise<void> {
    const child = this.#children.find((one) => one.name === name)?.child
    for (const end = Date.now() + limit; Date.now() < end; ) {
      if (child?.exitCode !== null && child?.exitCode !== undefined) break
      if (await listens(port)) return
      await wait(100)
    }
    throw new Error(`${name} does not listen on port ${port}: ${readFileSync(this.#log(name), "utf8").slice(-1500)}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#children.splice(0)) {
      if (child.exitCode !== null) continue
      const over = new Promise((resolve) => child.once("exit", resolve))
      signalGroup(child, "SIGTERM")
      if (await Promise.race([over.then(() => true), wait(10_000, false, { ref: false })])) signalGroup(child, "SIGKILL")
      else signalGroup(child, "SIGKILL")
    }
  }

  #log(name: string): string {
    return join(this.#directory, "log", `${name}.log`)
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" })
    const say = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => say(true)).once("error", () => say(false))
  })
}
