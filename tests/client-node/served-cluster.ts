import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KubeConfig } from "@kubernetes/client-node"
import { createApiServer, ensureCertificates, firstServiceAddress, serveHttps } from "@pilothouse/apiserver"
import { type Client, createClient, type DefaultTransport, defaultTransport } from "@pilothouse/runtime"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

/** The embedded API server behind real HTTPS, reached by both clients through one kubeconfig. */
export interface ServedCluster extends AsyncDisposable {
  readonly ours: Client
  readonly transport: DefaultTransport
  readonly theirs: KubeConfig
}

export async function servedCluster(): Promise<ServedCluster> {
  const seams = { clock: systemClock, random: seededRandom(1), log: silentLog }
  const server = createApiServer(seams)
  const serviceIp = firstServiceAddress("10.96.0.0/12")
  const certificates = await ensureCertificates({ ...seams, files: virtualFiles(systemClock), directory: "/pki", serviceIp })
  const https = await serveHttps({ ...seams, transportFor: () => server.transport(), host: "127.0.0.1", port: 0, certificates })
  const config = kubeconfig(`https://127.0.0.1:${https.port}`, certificates)
  const theirs = new KubeConfig()
  theirs.loadFromString(config)
  const transport = await fromFile(config)
  return {
    ours: createClient(transport.transport),
    transport,
    theirs,
    async [Symbol.asyncDispose]() {
      await transport.close()
      await https.close(0)
      await server.close()
    },
  }
}

function kubeconfig(server: string, { ca, admin }: Awaited<ReturnType<typeof ensureCertificates>>): string {
  const data = (text: string) => Buffer.from(text).toString("base64")
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": data(ca.certificate) } }],
    users: [{ name: "u", user: { "client-certificate-data": data(admin.certificate), "client-key-data": data(admin.key) } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  })
}

async function fromFile(config: string): Promise<DefaultTransport> {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-judge-"))
  try {
    writeFileSync(join(folder, "kubeconfig"), config)
    return await defaultTransport({ kubeconfig: join(folder, "kubeconfig") })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
