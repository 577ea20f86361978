import { Child } from "../real/child.ts"
import { eventually, launcher, root } from "../real/up-cluster.ts"

/** `pilothouse discovery` as a process of its own, which can be stopped and started again at the same port. */
export class DiscoveryProcess implements AsyncDisposable {
  readonly port: number
  readonly #kubeconfig: string
  #child: Child | undefined

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
      return child.output.includes(`xDS is served at 127.0.0.1:${this.port}`)
    })
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child?.stop()
  }
}
