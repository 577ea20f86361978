import { Child } from "../real/child.ts"
import { eventually, launcher, root } from "../real/up-cluster.ts"

/** `pilothouse discovery` as a process of its own, which can be stopped and started again at the same port. */
export class DiscoveryProcess implements AsyncDisposable {
  readonly port: number
  readonly #kubeconfig: string
  #child: Child | undefined
  #debug = ""

  constructor(kubeconfig: string, port: number) {
    this.#kubeconfig = kubeconfig
    this.port = port
  }

  async start(): Promise<this> {
    const args = [launcher, "discovery", "--kubeconfig", this.#kubeconfig, "--port", String(this.port)]
    const child = new Child({ name: "pilothouse discovery", program: process.execPath, args, directory: root })
    this.#child = child
    await eventually("pilothouse discovery to serve", async () => {
      if (!child.running) throw new Error(`pilothouse discovery ended while it started:\n${child.output}`)
      this.#debug = new RegExp(`xDS is served at 127.0.0.1:${this.port}, debug pages at (\\S+)`).exec(child.output)?.[1] ?? ""
      return this.#debug !== ""
    })
    return this
  }

  /** How many clients have the endpoints that this process knows, by its own account. */
  async inStep(): Promise<number> {
    const clients = (await (await fetch(`${this.#debug}/syncz`)).json()) as readonly { readonly eds?: { readonly state: string } }[]
    return clients.filter(({ eds }) => eds?.state === "SYNCED").length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child?.stop()
  }
}
