import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, onTestFinished, test } from "vitest"
import { authorizersOf } from "./authorization.ts"
import type { ApiServerFlags } from "./start.ts"

/** A server that allows everything to bob, and its kubeconfig in a file. */
async function webhook() {
  const paths: (string | undefined)[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    paths.push(request.url)
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk as Uint8Array)
    const { spec } = JSON.parse(Buffer.concat(chunks).toString()) as { spec: { user: string } }
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ status: { allowed: spec.user === "bob" } }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const files = virtualFiles(systemClock)
  const clusters = [{ name: "w", cluster: { server: `http://127.0.0.1:${port}/authorize` } }]
  const contexts = [{ name: "w", context: { cluster: "w", user: "w" } }]
  const config = { apiVersion: "v1", kind: "Config", clusters, contexts, users: [{ name: "w", user: {} }], "current-context": "w" }
  files.write("/webhook", JSON.stringify(config))
  return { files, paths }
}

async function decided(flags: Partial<ApiServerFlags>, { files, paths }: Awaited<ReturnType<typeof webhook>>) {
  await using opened = new AsyncDisposableStack()
  const seams = { clock: systemClock, random: seededRandom(1), log: silentLog, files }
  const { modes } = opened.use(await authorizersOf(flags as ApiServerFlags, seams))
  const { createApiServer } = await import("@pilothouse/apiserver")
  const api = createApiServer({ ...seams, authorizationModes: modes })
  opened.defer(() => api.close())
  const status = async (name: string) => {
    const transport = api.transport({ name, groups: ["system:authenticated"] })
    return (await transport({ verb: "GET", path: "/api/v1/secrets", query: {}, headers: {} })).status
  }
  return { bob: await status("bob"), eve: await status("eve"), paths }
}

const answer = { bob: 200, eve: 403, paths: ["/authorize", "/authorize"] }

test("--authorization-mode=RBAC,Webhook with the kubeconfig of a server", async () => {
  expect(await decided({ authorizationMode: ["RBAC", "Webhook"], authorizationWebhookConfigFile: "/webhook" }, await webhook())).toEqual(
    answer,
  )
})

test("--authorization-config with the same webhook", async () => {
  const made = await webhook()
  made.files.write(
    "/authorization.yaml",
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
  - type: RBAC
    name: rbac
  - type: Webhook
    name: own
    webhook:
      timeout: 3s
      subjectAccessReviewVersion: v1
      failurePolicy: Deny
      connectionInfo: { type: KubeConfigFile, kubeConfigFile: /webhook }
`,
  )
  expect(await decided({ authorizationConfig: "/authorization.yaml" }, made)).toEqual(answer)
  await expect(decided({ authorizationConfig: "/authorization.yaml", authorizationMode: ["RBAC"] }, made)).rejects.toThrow(
    "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
  )
})
