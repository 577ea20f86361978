import { createHash } from "node:crypto"
import { deepEqual } from "@pilothouse/api"
import { type ApiServer, apiServerName } from "@pilothouse/apiserver"
import { type Clock, type Files, type Log, type Metrics, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import type { OpenedAuthorizers } from "./authorization.ts"

export interface AuthorizationReloadOptions {
  /** The file of --authorization-config. */
  readonly path: string
  readonly started: OpenedAuthorizers
  readonly read: (text: string) => Promise<OpenedAuthorizers>
  readonly server: Pick<ApiServer, "replaceAuthorizers">
  /** The name of the machine, from which the API server has its name in the labels of metrics. */
  readonly hostname: string
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** Milliseconds between two looks at the file: as often as the other files that the server follows. */
const every = 10_000

/**
 * Follows the file of --authorization-config while the server runs, until it is disposed of.
 *
 * Invariant: the last good configuration decides; one that is refused is logged and counted once, and tried again when the file changes.
 */
export class AuthorizationReload implements AsyncDisposable {
  readonly #options: AuthorizationReloadOptions
  readonly #metrics: ReturnType<typeof reloadMetrics>
  readonly #stopping = new AbortController()
  readonly #required: ReadonlySet<string>
  #running: Promise<void> | undefined
  /** What was tried last, good or bad; undefined after a file that could not be read. */
  #tried: string | undefined
  /** The present authorizers, and those before them: a request may still wait for an answer of their webhooks. */
  #opened: readonly OpenedAuthorizers[]

  constructor(options: AuthorizationReloadOptions) {
    const { started, metrics, hostname } = options
    this.#options = options
    this.#metrics = reloadMetrics(metrics, hashOf(apiServerName(hostname)))
    this.#required = typesOf(started)
    this.#tried = started.text
    this.#opened = [started]
    this.#metrics.loaded(started.text ?? "")
  }

  start(): this {
    this.#running = this.#run()
    return this
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { clock } = this.#options
    while (!signal.aborted) {
      // The signal ends the wait.
      await clock.sleep(every, { signal, name: "the authorization configuration is looked at" }).catch(() => {})
      if (!signal.aborted) await this.check()
    }
  }

  /** Looks at the file now. */
  async check(): Promise<void> {
    const { path, files, log, clock } = this.#options
    try {
      const text = readText(files, path)
      if (text === undefined) throw new PilothouseError("FILE", `expected a file at ${path}, found none`)
      if (text === this.#tried) return
      this.#tried = text
      await this.#use(text)
    } catch (error) {
      this.#metrics.failed(clock.now())
      log.error("the authorization configuration could not be read again; the last good one stays", { file: path, error: messageOf(error) })
    }
  }

  async #use(text: string): Promise<void> {
    const { read, server, log, clock } = this.#options
    const next = await read(text)
    try {
      if (deepEqual(next.configuration, this.#opened[0]!.configuration)) return await next[Symbol.asyncDispose]()
      const missing = [...this.#required].filter((type) => !typesOf(next).has(type)).toSorted()
      if (missing.length > 0) throw new PilothouseError("INVALID", `missing required types: [${missing.join(" ")}]`)
      server.replaceAuthorizers(next.modes ?? [])
    } catch (error) {
      await next[Symbol.asyncDispose]()
      throw error
    }
    const [current, ...before] = this.#opened
    this.#opened = [next, current!]
    for (const old of before) await old[Symbol.asyncDispose]()
    this.#metrics.succeeded(text, clock.now())
    log.info("the authorization configuration was read again; it decides from now on")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#running
    for (const one of this.#opened) await one[Symbol.asyncDispose]()
  }
}

/** The modes; a configuration may lose webhooks, and none of these. */
function typesOf({ modes = [] }: OpenedAuthorizers): ReadonlySet<string> {
  return new Set(modes.filter((mode) => typeof mode === "string"))
}

/** By upstream's names. */
function reloadMetrics(metrics: Metrics, server: string) {
  const prefix = "apiserver_authorization_config_controller"
  const of = "of the authorization configuration"
  const reloads = metrics.counter({ name: `${prefix}_automatic_reloads_total`, help: `Reloads ${of}, by status and API server.` })
  const times = metrics.gauge({
    name: `${prefix}_automatic_reload_last_timestamp_seconds`,
    help: `When the last reload ${of} was, by status and API server.`,
  })
  const info = metrics.gauge({ name: `${prefix}_last_config_info`, help: "Hash of the last authorization configuration that was applied." })
  const ended = (status: "success" | "failure", now: number) => {
    reloads.add(1, { status, apiserver_id_hash: server })
    times.set(now / 1000, { status, apiserver_id_hash: server })
  }
  let loaded: { readonly apiserver_id_hash: string; readonly hash: string } | undefined
  const use = (text: string) => {
    if (loaded !== undefined) info.remove(loaded)
    loaded = { apiserver_id_hash: server, hash: hashOf(text) }
    info.set(1, loaded)
  }
  return {
    loaded: use,
    failed: (now: number) => ended("failure", now),
    succeeded(text: string, now: number) {
      ended("success", now)
      use(text)
    },
  }
}

function hashOf(text: string): string {
  return text === "" ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`
}
