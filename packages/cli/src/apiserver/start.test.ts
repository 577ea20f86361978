import { generateKeyPairSync, X509Certificate } from "node:crypto"
import { request } from "node:https"
import { ensureCertificates } from "@pilothouse/apiserver"
import { type Files, PilothouseError, silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { type ApiServerFlags, startApiServer } from "./start.ts"
import { defaults } from "./testing/flags.ts"
import { warningsFor } from "./warnings.ts"

const seams = { clock: systemClock, random: systemRandom(), log: silentLog }

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
      ...defaults,
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
  expect((await get("", "/api/v1/namespaces")).status).toBe(403)
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
  await using server = await startApiServer(defaults, { ...seams, files })
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
  expect((await ask(server.url, ca, "", "/metrics")).status).toBe(403)
})

test("who listens everywhere tells others an address of this machine", async () => {
  const files = virtualFiles(systemClock)
  await using server = await startApiServer({ ...defaults, bindAddress: "0.0.0.0" }, { ...seams, files, addresses: ["192.0.2.7"] })
  const [user] = server.kubeconfig.users as unknown as [{ user: { token: string } }]
  const [cluster] = server.kubeconfig.clusters as unknown as [{ cluster: { "certificate-authority-data": string } }]
  const ca = Buffer.from(cluster.cluster["certificate-authority-data"], "base64").toString()
  const get = async (path: string) => (await ask(server.url, ca, user.user.token, path)).body
  expect(await get("/api/v1/namespaces/default/endpoints/kubernetes")).toContain('"addresses":[{"ip":"192.0.2.7"}]')
  expect(await get("/.well-known/openid-configuration")).toContain('"jwks_uri":"https://192.0.2.7:')
  expect(new X509Certificate(files.read("/data/pki/apiserver.crt") ?? "").subjectAltName).toContain("IP Address:192.0.2.7")
})

const flags = (more: Partial<ApiServerFlags>): ApiServerFlags => ({ ...defaults, ...more })

test.each([
  ["a token file that is not there", { tokenAuthFile: "/none" }, "USAGE", "expected a file at /none for --token-auth-file, found none"],
  ["a client authority that is no PEM", { clientCaFile: "/words" }, "USAGE", "expected a PEM file at /words for --client-ca-file"],
  ["a key of another certificate", { tlsCertFile: "/a/ca.crt", tlsPrivateKeyFile: "/sa.key" }, "USAGE", "found another one"],
  ["a line of tokens that is none", { tokenAuthFile: "/words" }, "USAGE", "--token-auth-file: expected token,user,uid"],
  ["a certificate whose time is over", { tlsCertFile: "/old/apiserver.crt", tlsPrivateKeyFile: "/old/apiserver.key" }, "USAGE", "ended on"],
  ["a certificate without its key", { tlsCertFile: "/a/ca.crt" }, "USAGE", "expected both of --tls-cert-file and --tls-private-key-file"],
  ["a signing key that is none", { serviceAccountSigningKeyFile: "/sa.pub" }, "USAGE", "expected a PEM private key in /sa.pub"],
  ["a range that is none", { serviceClusterIpRange: "10.0.0.0" }, "INVALID", 'expected an IPv4 range such as "10.96.0.0/12"'],
  ["an unknown plugin", { enableAdmissionPlugins: ["Magic"] }, "INVALID", 'plugin "Magic" is unknown; there are AlwaysAdmit'],
])("%s is refused by name, and nothing is left running", async (_what, more, code, message) => {
  const files = virtualFiles(systemClock)
  rsaKeys(files)
  files.write("/words", "just words")
  await ensureCertificates({ ...seams, files, directory: "/a", serviceIp: "10.0.0.1" })
  const longAgo = new VirtualClock({ start: Date.parse("2020-01-01T00:00:00Z") })
  await ensureCertificates({ ...seams, clock: longAgo, files, directory: "/old", serviceIp: "10.0.0.1" })
  const error = await startApiServer(flags(more), { ...seams, files }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PilothouseError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test("a port that is taken is named", async () => {
  const files = virtualFiles(systemClock)
  await using first = await startApiServer(defaults, { ...seams, files })
  const securePort = Number(new URL(first.url).port)
  const error = await startApiServer(flags({ securePort }), { ...seams, files }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: "PORT_TAKEN",
    message: expect.stringContaining(`expected port ${securePort} of 127.0.0.1 to be free`),
  })
})

test("what works otherwise than upstream is said", () => {
  const warnings = warningsFor(
    flags({
      authorizationMode: ["Node", "RBAC"],
      etcdServers: ["http://127.0.0.1:2379"],
      enableAdmissionPlugins: ["NodeRestriction", "PodGroupWorkloadExists"],
    }),
  )
  expect(warnings).toEqual([
    "--etcd-servers is not used: storage is our own, in --data-dir (or in memory with --ephemeral)",
    "--enable-admission-plugins: no effect here: PodGroupWorkloadExists",
  ])
  expect(warningsFor(flags({}))).toEqual([])
  expect(warningsFor(flags({ authorizationMode: ["RBAC"] }))).toEqual([])
  expect(warningsFor(flags({ authorizationMode: ["Node"] }))).toEqual([
    "--authorization-mode=Node: without RBAC no role and no binding has an effect",
  ])
  expect(warningsFor(flags({ authorizationMode: ["AlwaysAllow"] }))).toEqual([
    "--authorization-mode=AlwaysAllow: every authenticated user may do everything",
  ])
  expect(() => warningsFor(flags({ disableAdmissionPlugins: ["Magic"] }))).toThrow('disable-admission-plugins plugin "Magic" is unknown')
})

test("a user has the rights that bindings give, and an anonymous client those of everyone", async () => {
  const files = virtualFiles(systemClock)
  files.write("/tokens.csv", 'root,admin,1,"system:masters"\nbob,bob,2,"dev"')
  const made = flags({ tokenAuthFile: "/tokens.csv" })
  await using server = await startApiServer(made, { ...seams, files })
  const ca = Buffer.from(files.read(`${made.dataDir}/pki/ca.crt`) ?? "").toString()
  const get = (token: string, path: string, body?: unknown) => ask(server.url, ca, token, path, body)
  const configMaps = "/api/v1/namespaces/default/configmaps"
  expect((await get("root", configMaps)).status).toBe(200)
  expect(JSON.parse((await get("bob", configMaps)).body)).toMatchObject({
    code: 403,
    message: 'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"',
  })
  expect(JSON.parse((await get("", configMaps)).body)).toMatchObject({
    code: 403,
    message: expect.stringContaining('User "system:anonymous"'),
  })
  expect((await get("", "/version")).status).toBe(200)
  expect((await get("", "/apis")).status).toBe(403)
  expect((await get("bob", "/apis")).status).toBe(200)
  const binding = {
    metadata: { name: "dev" },
    roleRef: { kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "Group", name: "dev" }],
  }
  expect((await get("root", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", binding)).status).toBe(201)
  expect((await get("bob", configMaps)).status).toBe(200)
  expect((await get("bob", "/api/v1/configmaps")).status).toBe(403)
})

test("anonymous clients read what is public only where everything is allowed after RBAC, as upstream", async () => {
  const files = virtualFiles(systemClock)
  const made = flags({ authorizationMode: ["RBAC", "AlwaysAllow"] })
  await using server = await startApiServer(made, { ...seams, files })
  const ca = Buffer.from(files.read(`${made.dataDir}/pki/ca.crt`) ?? "").toString()
  expect((await ask(server.url, ca, "", "/healthz")).status).toBe(200)
  expect((await ask(server.url, ca, "", "/api/v1/namespaces")).status).toBe(401)
})
