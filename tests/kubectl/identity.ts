import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { derIdentifier, derSequence, derSubject, derTags, derValue, pemText } from "@pilothouse/api/x509"

interface Kubectl {
  readonly program: string
  readonly directory: string
  /** The administrator's. */
  readonly kubeconfig: string
}

/** What was tried, and what is wrong with it. */
type Outcome = readonly [what: string, problem: string | undefined]

const patience = 20_000

/** Other users come to a cluster by a signed certificate, an exec plugin, a bootstrap token, and the token of a service account. */
export async function identityOutcomes(kubectl: Kubectl): Promise<readonly Outcome[]> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const outcomes: Outcome[] = []
  const tried = (what: string, { stdout, stderr }: SpawnSyncReturns<string>, says: RegExp) =>
    outcomes.push([what, says.test(stdout + stderr) ? undefined : `expected ${says}, found ${stdout}${stderr}`])
  tried("apply a request for a certificate", run(kubectl, ["apply", "-f", "-"], requestOf(privateKey, publicKey)), /jane created/)
  tried("certificate approve jane", run(kubectl, ["certificate", "approve", "jane"]), /jane approved/)
  const certificate = await issued(kubectl)
  tried("get csr jane", run(kubectl, ["get", "csr", "jane"]), /kubernetes\.io\/kube-apiserver-client.*Approved,Issued/)
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  const shown = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) }
  const isJane = /Username +jane\s[^]*Groups +\[dev system:authenticated\]/
  tried("whoami by the signed certificate", whoAmI(kubectl, shown), isJane)
  tried("whoami by an exec plugin", whoAmI(kubectl, execUser(kubectl, { clientCertificateData: certificate, clientKeyData: key })), isJane)
  tried(
    "get pods by one without a role",
    asUser(kubectl, shown, ["get", "pods"]),
    /pods is forbidden: User "jane" cannot list resource "pods"/,
  )
  tried("create a rolebinding for it", run(kubectl, ["create", "rolebinding", "dev", "--clusterrole=view", "--group=dev"]), /dev created/)
  tried("get pods by one who may", asUser(kubectl, shown, ["get", "pods"]), /No resources found/)
  tried("get secrets by one who may view", asUser(kubectl, shown, ["get", "secrets"]), /secrets is forbidden: User "jane"/)
  tried("get pods of another namespace", asUser(kubectl, shown, ["get", "pods", "-n", "kube-system"]), /in the namespace "kube-system"/)
  tried("auth can-i by one who may", asUser(kubectl, shown, ["auth", "can-i", "list", "deployments"]), /^yes/)
  tried("create a bootstrap token", run(kubectl, ["apply", "-f", "-"], JSON.stringify(bootstrapToken)), /bootstrap-token-abcdef created/)
  tried("whoami by a bootstrap token", whoAmI(kubectl, { token: "abcdef.0123456789abcdef" }), /Username +system:bootstrap:abcdef/)
  tried("whoami by a wrong bootstrap token", whoAmI(kubectl, { token: "abcdef.0123456789abcdeX" }), /Unauthorized/i)
  run(kubectl, ["create", "secret", "generic", "bound"])
  const bound = run(kubectl, ["create", "token", "default", "--bound-object-kind=Secret", "--bound-object-name=bound", "--duration=20m"])
  const token = bound.stdout.trim()
  tried(
    "whoami by a bound token of an exec plugin",
    whoAmI(kubectl, execUser(kubectl, { token })),
    /Username +system:serviceaccount:default:default/,
  )
  run(kubectl, ["delete", "secret", "bound"])
  tried("whoami by a token whose object is gone", whoAmI(kubectl, { token }), /Unauthorized/i)
  return outcomes
}

function run({ program, kubeconfig }: Kubectl, args: readonly string[], input?: string): SpawnSyncReturns<string> {
  return spawnSync(program, args, { encoding: "utf8", input, env: { ...process.env, KUBECONFIG: kubeconfig } })
}

function whoAmI(kubectl: Kubectl, user: object): SpawnSyncReturns<string> {
  return asUser(kubectl, user, ["auth", "whoami"])
}

/** Runs with the credentials of another user. */
function asUser(kubectl: Kubectl, user: object, args: readonly string[]): SpawnSyncReturns<string> {
  const path = join(kubectl.directory, "another.kubeconfig")
  const config = JSON.parse(readFileSync(kubectl.kubeconfig, "utf8"))
  writeFileSync(path, JSON.stringify({ ...config, users: [{ name: config.users[0].name, user }] }))
  return run({ ...kubectl, kubeconfig: path }, args)
}

function execUser({ directory }: Kubectl, status: object): object {
  const path = join(directory, "credential.json")
  const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status }
  writeFileSync(path, JSON.stringify(credential))
  return { exec: { apiVersion: credential.apiVersion, command: "cat", args: [path], interactiveMode: "Never" } }
}

async function issued(kubectl: Kubectl): Promise<string> {
  const end = performance.now() + patience
  while (performance.now() < end) {
    const { stdout } = run(kubectl, ["get", "csr", "jane", "-o", "jsonpath={.status.certificate}"])
    if (stdout !== "") return Buffer.from(stdout, "base64").toString()
    await delay(100)
  }
  return ""
}

const bootstrapToken = {
  apiVersion: "v1",
  kind: "Secret",
  type: "bootstrap.kubernetes.io/token",
  metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
  stringData: { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" },
}

function requestOf(privateKey: KeyObject, publicKey: KeyObject): string {
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject({ commonName: "jane", organizations: ["dev"] }),
    publicKey.export({ type: "spki", format: "der" }),
    derValue(0xa0),
  )
  const signature = derValue(derTags.bits, Uint8Array.of(0), sign("sha256", info, privateKey))
  const pem = pemText("CERTIFICATE REQUEST", derSequence(info, derSequence(derIdentifier("1.2.840.10045.4.3.2")), signature))
  return JSON.stringify({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "jane" },
    spec: { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"], expirationSeconds: 3600, request: base64(pem) },
  })
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}
