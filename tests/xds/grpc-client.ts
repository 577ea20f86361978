import { type ChildProcess, spawn } from "node:child_process"
import { createInterface, type Interface } from "node:readline"
import { grpcBootstrap } from "@pilothouse/discovery"

/** A client process that makes calls on request. */
export class GrpcClient implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #lines: Interface
  readonly #waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] = []
  #said = ""

  constructor(program: string, args: readonly string[], xdsPort: number) {
    const bootstrap = grpcBootstrap({
      host: "127.0.0.1",
      port: xdsPort,
      nodeId: "sidecar~127.0.0.1~c1.shop~shop.svc.cluster.local",
      namespace: "shop",
      region: "r1",
      zone: "z1",
    })
    const env = { ...process.env, GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap) }
    this.#process = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env })
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-4_000)
    })
    this.#lines = createInterface({ input: this.#process.stdout! })
    this.#lines.on("line", (line) => this.#waiting.shift()?.resolve(line))
    this.#process.once("exit", (code) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the client ended with ${code}: ${this.#said}`))
    })
  }

  /** answer → how often. */
  async calls(target: string, count: number): Promise<Readonly<Record<string, number>>> {
    const line = new Promise<string>((resolve, reject) => void this.#waiting.push({ resolve, reject }))
    this.#process.stdin?.write(`${target} ${count}\n`)
    return JSON.parse(await line) as Record<string, number>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lines.close()
    const ended = new Promise((resolve) => this.#process.once("exit", resolve))
    if (this.#process.exitCode === null) {
      this.#process.kill("SIGKILL")
      await ended
    }
  }
}
