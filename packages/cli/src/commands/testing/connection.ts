import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import type { Connection } from "../../client/connection.ts"

/** A cluster inside a test, and the connection that a command would have to it. In real time: commands wait by the system's clock. */
export async function connectedCluster(options: ClusterOptions = {}): Promise<Connection & { readonly cluster: Cluster }> {
  const running = await cluster({ time: "real", ...options })
  return {
    cluster: running,
    client: running.client,
    transport: running.transport,
    server: "in process",
    authorities: () => undefined,
    namespace: "default",
    defaultNamespace: "default",
    [Symbol.asyncDispose]: () => running.close(),
  }
}

/** Collects what a command prints. */
export function printed(): { readonly print: (text: string) => void; text(): string } {
  const parts: string[] = []
  return { print: (text) => void parts.push(text), text: () => parts.join("") }
}
