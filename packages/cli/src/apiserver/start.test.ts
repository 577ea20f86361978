import { generateKeyPairSync } from "node:crypto"
import { request } from "node:https"
import { ensureCertificates } from "@pilothouse/apiserver"
import { type Files, PilothouseError, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { type ApiServerFlags, startApiServer } from "./start.ts"
import { warningsFor } from "./warnings.ts"

const seams = { clock: systemClock, random: systemRandom(), log: silentLog }
const usual = {
  securePort: 0,
  bindAddress: "127.0.0.1",
  dataDir: "/data",
  ephemeral: true,
  serviceClusterIpRange: "10.0.0.0/24",
  eventTtl: 3_600_000,
}

function rsaKeys(files: Files): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  files.write("/sa.key", privateKey.export({ type: "pkcs1", format: "pem" }))
  files.write("/sa.pub", publicKey.export({ type: "spki", format: "pem" }))
}

interface Answered {
  readonly status: number
  readonly body: string
}

function ask(url: string, ca: string, token: string, path: string, body?: unknown): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { ...(token !== "" && { authorization: `Bearer ${token}` }), "content-type": "application/json" }
    const asked = request(`${url}${path}`, { ca, agent: false, headers, method: body === undefined ? "GET" : "POST" }, (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += String(chunk)))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    asked.on("error", reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

test("as envtest starts it: a certificate in --cert-dir, RSA keys, a token file, one plugin off", async () => {
  const files = virtualFiles(systemClock)
  rsaKeys(files)
  const made = await ensureCertificates({ ...seams, files, directory: "/made", serviceIp: "10.0.0.1" })
  files.write("/certs/apiserver.crt", made.server.certificate)
  files.write("/certs/apiserver.key", made.server.key)
  files.write("/tokens.csv", 'secret,admin,1,"system:masters"')
  await using server = await startApiServer(
    {
      ...usual,
      certDir: "/certs",
      tokenAuthFile: "/tokens.csv",
      clientCaFile: "/made/ca.crt",
      serviceAccountIssuer: ["https://kubernetes.default.svc"],
      serviceAccountKeyFile: ["/sa.pub"],
      serviceAccountSigningKeyFile: "/sa.key",
      disableAdmissionPlugins: ["ServiceAccount"],
    },
    { ...seams, files },
  )
  const get = (token: string, path: string, body?: unknown) => ask(server.url, made.ca.certificate, token, path, body)
  expect(await get("", "/healthz")).toEqual({ status: 200, body: "ok" })
  expect((await get("wrong", "/api/v1/namespaces")).status).toBe(401)
  expect((await get("", "/api/v1/namespaces")).status).toBe(401)
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } }
  expect((await get("secret", "/api/v1/namespaces/default/pods", pod)).status).toBe(201)
  await get("secret", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "a" } })
  const issued = await get("secret", "/api/v1/namespaces/default/serviceaccounts/a/token", { spec: {} })
  const { status } = JSON.parse(issued.body) as { status: { token: string } }
  const me = await get(status.token, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
  expect(me).toMatchObject({ status: 201, body: expect.stringContaining('"username":"system:serviceaccount:default:a"') })
  // Nothing of theirs is touched.
  expect(files.list("/certs")).toEqual(["apiserver.crt", "apiserver.key"])
})

test("the kubeconfig's token lets the administrator in, and its authority is the server's", async () => {
  const files = virtualFiles(systemClock)
  await using server = await startApiServer(usual, { ...seams, files })
  const [user] = server.kubeconfig.users as unknown as [{ user: { token: string } }]
  const [cluster] = server.kubeconfig.clusters as unknown as [{ cluster: { "certificate-authority-data": string } }]
  const ca = Buffer.from(cluster.cluster["certificate-authority-data"], "base64").toString()
  const me = await ask(server.url, ca, user.user.token, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
  expect(me).toMatchObject({ status: 201, body: expect.stringContaining('"username":"kubernetes-admin"') })
  const metrics = await ask(server.url, ca, user.user.token, "/metrics")
  expect(metrics).toMatchObject({
    status: 200,
    body: expect.stringMatching(/^apiserver_request_total\{.*resource="selfsubjectreviews".*\} 1$/m),
  })
  expect((await ask(server.url, ca, "", "/metrics")).status).toBe(401)
})

const flags = (more: Partial<ApiServerFlags>): ApiServerFlags => ({ ...usual, ...more })

test.each([
  ["a token file that is not there", { tokenAuthFile: "/none" }, "FILE", "expected a file at /none for --token-auth-file, found none"],
  ["a client authority that is no PEM", { clientCaFile: "/words" }, "FILE", "expected a PEM file at /words for --client-ca-file"],
  ["a key of another certificate", { tlsCertFile: "/a/ca.crt", tlsPrivateKeyFile: "/sa.key" }, "FILE", "found another one"],
  ["a certificate without its key", { tlsCertFile: "/a/ca.crt" }, "USAGE", "expected both of --tls-cert-file and --tls-private-key-file"],
  ["a signing key that is none", { serviceAccountSigningKeyFile: "/sa.pub" }, "FILE", "expected a PEM private key in /sa.pub"],
  ["a range that is none", { serviceClusterIpRange: "10.0.0.0" }, "INVALID", 'expected an IPv4 range such as "10.96.0.0/12"'],
  ["a plugin nobody knows", { enableAdmissionPlugins: ["Magic"] }, "INVALID", 'plugin "Magic" is unknown; there are NamespaceLifecycle'],
])("%s is refused by name, and nothing is left running", async (_what, more, code, message) => {
  const files = virtualFiles(systemClock)
  rsaKeys(files)
  files.write("/words", "just words")
  await ensureCertificates({ ...seams, files, directory: "/a", serviceIp: "10.0.0.1" })
  const error = await startApiServer(flags(more), { ...seams, files }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PilothouseError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test("a port that is taken is named", async () => {
  const files = virtualFiles(systemClock)
  await using first = await startApiServer(usual, { ...seams, files })
  const securePort = Number(new URL(first.url).port)
  const error = await startApiServer(flags({ securePort }), { ...seams, files }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: "PORT_TAKEN",
    message: expect.stringContaining(`expected port ${securePort} of 127.0.0.1 to be free`),
  })
})

test("what works otherwise than upstream is said", () => {
  const warnings = warningsFor(
    flags({ authorizationMode: ["RBAC"], etcdServers: ["http://127.0.0.1:2379"], enableAdmissionPlugins: ["NodeRestriction"] }),
  )
  expect(warnings).toEqual([
    "--authorization-mode=RBAC: roles are kept, but not asked yet: everything for authenticated users",
    "--etcd-servers is not used: storage is our own, in --data-dir (or in memory with --ephemeral)",
    "--enable-admission-plugins: not here yet, and so not asked: NodeRestriction",
  ])
  expect(warningsFor(flags({}))).toEqual([])
})
