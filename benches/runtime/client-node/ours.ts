// A program: our informer of pods, measured.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pods } from "@pilothouse/api/core/v1"
import { createClient, defaultTransport, Informers } from "@pilothouse/runtime"
import { seededRandom, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { measure } from "./measured.ts"

await measure(async (server) => {
  const { transport, ...connection } = await connect(server)
  // What is loaded with the first request is not part of it.
  await transport({ verb: "GET", path: "/go", query: {}, headers: {} })
  return async () => {
    const told = { added: 0, changed: 0 }
    const seams = { clock: systemClock, random: seededRandom(1), log: silentLog }
    // Lists, as the other one does: the same bytes for both.
    const informers = new Informers({ ...seams, client: createClient(transport), streams: false })
    informers.of(pods).addHandler((change) => {
      if (change.type === "added") told.added++
      else told.changed++
    })
    const stopping = new AbortController()
    const running = informers.run(stopping.signal)
    return {
      told: () => told,
      async stop() {
        stopping.abort()
        await running
        await connection[Symbol.asyncDispose]()
      },
    }
  }
})

async function connect(server: string) {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-bench-"))
  const kubeconfig = join(folder, "kubeconfig")
  // As the other one: which authority signed the certificate is not the question.
  const trusting = server.startsWith("https:") ? { "insecure-skip-tls-verify": true } : {}
  const named = {
    clusters: [{ name: "c", cluster: { server, ...trusting } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  }
  writeFileSync(
    kubeconfig,
    JSON.stringify({ apiVersion: "v1", kind: "Config", ...named, users: [{ name: "u", user: {} }], "current-context": "c" }),
  )
  try {
    return await defaultTransport({ kubeconfig })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
