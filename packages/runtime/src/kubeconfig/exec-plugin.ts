import { type Clock, type Log, messageOf, PilothouseError, silentLog } from "@pilothouse/seams"
import type { Credentials, Presented } from "../http/connection.ts"
import { isHeaderText } from "./header-value.ts"
import type { RunPlugin } from "./run-plugin.ts"
import type { Environment, ExecEntry } from "./types.ts"

const execApiVersions: readonly string[] = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]

export interface ExecPluginOptions {
  readonly exec: ExecEntry
  /** Whose it is, for messages: 'user "jane" in /home/jane/.kube/config'. */
  readonly whose: string
  /** The cluster info for the plugin, with provideClusterInfo. */
  readonly cluster: () => Readonly<Record<string, unknown>>
  readonly clock: Pick<Clock, "now" | "timer">
  readonly log?: Log
  readonly run: RunPlugin
  /** The base environment, to which the kubeconfig adds. */
  readonly environment: Environment
  /** Whether there is a terminal. */
  readonly terminal: boolean
}

/** Milliseconds. */
const slowAfter = 10_000

/**
 * Credentials from an exec plugin (client.authentication.k8s.io). One that waits for a user has no time limit; the log warns.
 * Invariant: the plugin runs at most once at a time, and not while its last credential is valid and not refused.
 */
export class ExecPlugin implements Credentials {
  readonly #options: ExecPluginOptions
  readonly #apiVersion: string
  readonly #command: string
  readonly #interactive: boolean
  readonly #closing = new AbortController()
  #credential: PluginCredential | undefined
  #running: Promise<PluginCredential> | undefined

  /** Throws when the kubeconfig's entry is not usable; does not run the plugin. */
  constructor(options: ExecPluginOptions) {
    const { exec, whose, terminal } = options
    if (!exec.command) throw new PilothouseError("INVALID", `expected a command in exec of ${whose}, found none; add it`)
    if (exec.apiVersion === undefined || !execApiVersions.includes(exec.apiVersion)) {
      const found = exec.apiVersion === undefined ? "none" : JSON.stringify(exec.apiVersion)
      throw new PilothouseError(
        "INVALID",
        `expected apiVersion ${execApiVersions.join(" or ")} in exec of ${whose}, found ${found}; update the plugin and the kubeconfig`,
      )
    }
    this.#options = options
    this.#apiVersion = exec.apiVersion
    this.#command = exec.command
    this.#interactive = isInteractive(exec, terminal, whose)
  }

  async present(): Promise<Presented> {
    if (this.#credential !== undefined && this.#options.clock.now() <= this.#credential.expires) return this.#credential.presented
    return (await this.#refresh()).presented
  }

  async refused(presented: Presented): Promise<boolean> {
    // Other requests were refused too, and one of them has run the plugin already.
    if (this.#credential?.presented !== presented) return true
    const { presented: fresh } = await this.#refresh()
    return fresh.authorization !== presented.authorization || fresh.certificate !== presented.certificate
  }

  /** Ends a running plugin. */
  close(): void {
    this.#closing.abort()
  }

  #refresh(): Promise<PluginCredential> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<PluginCredential> {
    const { exec, run, clock, whose, log = silentLog } = this.#options
    const given = (exec.env ?? []).map(({ name, value }) => [name, value] as const)
    const environment = {
      ...this.#options.environment,
      ...Object.fromEntries(given),
      KUBERNETES_EXEC_INFO: JSON.stringify(this.#execInfo()),
    }
    const call = {
      command: this.#command,
      args: exec.args ?? [],
      environment,
      interactive: this.#interactive,
      signal: this.#closing.signal,
    }
    using _slow = clock.timer(slowAfter, `exec plugin ${this.#command}`, () =>
      log.warn("the exec plugin has not answered yet, and every request waits for it", {
        plugin: this.#command,
        of: whose,
        after: slowAfter,
      }),
    )
    const result = await run(call).catch((cause: unknown) => {
      throw this.#failed(`could not be started (${messageOf(cause)})`, exec.installHint ?? "install it, or correct its path")
    })
    if (result.exitCode !== 0) {
      const said = result.stderr.trim() || "nothing on standard error"
      throw this.#failed(`ended with exit code ${result.exitCode ?? "none (it was killed)"}: ${said}`, "run it by hand to see why")
    }
    this.#credential = parseExecCredential(result.stdout, this.#apiVersion, (why) => this.#failed(why, "update the plugin"))
    return this.#credential
  }

  #execInfo(): object {
    const cluster = this.#options.exec.provideClusterInfo ? { cluster: this.#options.cluster() } : {}
    return { kind: "ExecCredential", apiVersion: this.#apiVersion, spec: { ...cluster, interactive: this.#interactive } }
  }

  #failed(why: string, todo: string): PilothouseError {
    return new PilothouseError(
      "CREDENTIALS",
      `expected credentials of ${this.#options.whose} from the exec plugin ${this.#command}: it ${why}; ${todo}`,
    )
  }
}

/** v1beta1 had no interactiveMode at first: there the default is IfAvailable. In v1 it is required. */
function isInteractive({ apiVersion, interactiveMode }: ExecEntry, terminal: boolean, whose: string): boolean {
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

interface PluginCredential {
  readonly presented: Presented
  /** Milliseconds since 1970; Infinity when the plugin does not say. */
  readonly expires: number
}

interface ExecCredential {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  } | null
}

/** Parses the output of a plugin. Errors do not show it: it is a secret. */
function parseExecCredential(stdout: string, apiVersion: string, wrong: (why: string) => Error): PluginCredential {
  const { kind, apiVersion: found, status } = parse(stdout, wrong)
  if (kind !== "ExecCredential" || found !== apiVersion) {
    throw wrong(`printed ${text(found)} ${text(kind)} where ${apiVersion} ExecCredential is configured`)
  }
  if (!status) throw wrong("printed an ExecCredential without a status")
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status
  if (!token && !certificate && !key) throw wrong("printed neither a token nor a certificate")
  if (!certificate !== !key) throw wrong(`printed a client ${certificate ? "certificate without its key" : "key without its certificate"}`)
  if (token && !isHeaderText(token)) throw wrong("printed a token with characters that no header can carry")
  const presented = { ...(token && { authorization: `Bearer ${token}` }), ...(certificate && { certificate, key }) }
  return { presented, expires: expiry(expirationTimestamp, wrong) }
}

function parse(stdout: string, wrong: (why: string) => Error): ExecCredential {
  try {
    const value: unknown = JSON.parse(stdout)
    if (typeof value === "object" && value !== null) return value
  } catch {
    // The parser's message would show the output.
  }
  throw wrong(stdout.trim() === "" ? "printed nothing" : "printed something that is not JSON")
}

function expiry(timestamp: string | undefined, wrong: (why: string) => Error): number {
  if (!timestamp) return Number.POSITIVE_INFINITY
  const time = Date.parse(timestamp)
  if (Number.isNaN(time)) throw wrong(`printed ${text(timestamp)} as expirationTimestamp`)
  return time
}

function text(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `a ${typeof value}`
}
