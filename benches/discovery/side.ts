import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { AdsClient } from "./ads-client.ts"
import type { Ask, Facts } from "./server.ts"

/** Our server in its process, and clients of it in this one. */
export class Side implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly port: number
  readonly clients: AdsClient[] = []

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(): Promise<Side> {
    const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]
    const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), {
      execArgv: flags,
    })
    const [{ port }] = (await once(child, "message")) as [{ port: number }]
    return new Side(child, port)
  }

  async ask(ask: Ask): Promise<Facts> {
    const answer = once(this.#child, "message")
    this.#child.send(ask)
    const [facts] = (await answer) as [Facts]
    return facts
  }

  /** That many more clients, once each has its first endpoints. */
  async connect(count: number, names: readonly string[], delta = false): Promise<void> {
    const first = Array.from({ length: count }, (_, index) => {
      const client = new AdsClient(this.port, `c${this.clients.length + index}`, names, delta)
      return { client, response: client.next() }
    })
    this.clients.push(...first.map(({ client }) => client))
    await Promise.all(first.map(({ response }) => response))
  }

  /** One change; milliseconds until the first and the last client have it. */
  async change(): Promise<{ readonly first: number; readonly last: number }> {
    const arrivals: bigint[] = []
    const all = Promise.all(this.clients.map((client) => client.next().then(() => void arrivals.push(process.hrtime.bigint()))))
    const { changedAt } = await this.ask({ do: "change" })
    await all
    const since = (at: bigint) => Number(at - BigInt(changedAt)) / 1e6
    return { first: since(arrivals[0]!), last: since(arrivals.at(-1)!) }
  }

  disconnect(): void {
    for (const client of this.clients.splice(0)) client.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disconnect()
    const gone = once(this.#child, "exit")
    this.#child.kill()
    await gone
  }
}
