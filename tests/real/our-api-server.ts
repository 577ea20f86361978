// Our own API server over TLS on the loopback, with the users and files that the real one is given: components cannot distinguish the two.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import {
  type AdmissionOptions,
  type AuthorizationMode,
  authenticatedTransports,
  authenticator,
  createApiServer,
  diskStorage,
  ensureCertificates,
  type FrontProxy,
  serveHttps,
  type TokenWebhookOptions,
} from "@pilothouse/apiserver"
import { defaultTransport, serverDialer } from "@pilothouse/runtime"
import { type Log, memoryMetrics, silentLog, type Transport } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { ApiClient } from "./api-client.ts"
import { kubeconfigFor, type UserName, users } from "./users.ts"

const host = "127.0.0.1"
const serviceIp = "10.0.0.1"
const serviceRange = "10.0.0.0/16"
/** Plugins that leave something to a controller: upstream has them on, and a real controller manager runs those controllers. */
const withControllers = ["ServiceAccount", "TaintNodesByCondition", "StorageObjectInUseProtection"]

export interface OurApiServerOptions {
  /** Names of plugins, as --disable-admission-plugins takes them. */
  readonly disabledPlugins?: readonly string[]
  /** The same of --enable-admission-plugins. */
  readonly enabledPlugins?: readonly string[]
  readonly log?: Log
  /** As --authorization-mode; by default an authenticated user may do everything. */
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Group versions that are off by default, as --runtime-config turns them on. */
  readonly enabledVersions?: readonly string[]
  /** The webhook of the plugin ImagePolicyWebhook. */
  readonly imagePolicy?: AdmissionOptions["imagePolicy"]
  /** The kubeconfig of --authentication-token-webhook-config-file, asked in version v1. */
  readonly tokenWebhook?: string
  /** What extension servers know it by. */
  readonly frontProxy?: FrontProxy
}

/** Runs from `startOurApiServer` until it is disposed of. The files that a controller manager asks for are in `directory`. */
export interface OurApiServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly ca: string
  readonly directory: string
  /** The administrator's way in, over TLS. */
  readonly client: ApiClient
  /** The administrator's way in, in this process. */
  readonly transport: Transport
  /** A kubeconfig file of one of the users in the token file. */
  kubeconfig(user: UserName): string
}

export async function startOurApiServer(options: OurApiServerOptions = {}): Promise<OurApiServer> {
  const { disabledPlugins = [], enabledPlugins = [], log = silentLog, authorizationModes } = options
  await using starting = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-ours-"))
  starting.defer(() => rmSync(directory, { recursive: true, force: true }))
  const [clock, random] = [systemClock, systemRandom()]
  const certificates = await ensureCertificates({ files: systemFiles, clock, random, directory, serviceIp })
  const storage = await diskStorage({ directory: join(directory, "storage"), clock, log })
  const metrics = memoryMetrics()
  const { dial } = starting.use(serverDialer({ clock }))
  const webhook = options.tokenWebhook && (await tokenWebhookAt(options.tokenWebhook, log, starting))
  const server = createApiServer({
    bootstrapTokenAuth: true,
    tokens: knownTokens(),
    ...(webhook && { tokenWebhook: webhook }),
    ...(options.enabledVersions && { enabledVersions: options.enabledVersions }),
    ...(options.frontProxy && { frontProxy: options.frontProxy }),
    clock,
    dial,
    metrics,
    metricsText: () => metrics.text(),
    random,
    log,
    storage,
    serviceAccounts: { ...certificates.serviceAccount, issuer: "https://kubernetes.default.svc" },
    serviceClusterIpRange: serviceRange,
    // Its Lease is named after it, as the real one's is.
    hostname: hostname(),
    clientCa: certificates.ca.certificate,
    ...(authorizationModes !== undefined && { authorizationModes }),
    admission: {
      enable: [...enabledPlugins, ...withControllers.filter((name) => !disabledPlugins.includes(name))],
      disable: disabledPlugins,
      ...(options.imagePolicy && { imagePolicy: options.imagePolicy }),
    },
  })
  starting.defer(() => server.close())
  const authenticate = authenticator({ tokenReview: (token) => server.tokenReview(token) })
  const transportFor = authenticatedTransports(authenticate, (identity) => server.transport(identity))
  const https = await serveHttps({ transportFor, host, port: 0, certificates, clock, random, log })
  starting.defer(() => https.close(300))
  const url = `https://${host}:${https.port}`
  const ca = certificates.ca.certificate
  const client = new ApiClient({ port: https.port, ca, token: users.admin.token })
  starting.defer(() => client.close())
  const running = starting.move()
  return {
    port: https.port,
    url,
    ca,
    directory,
    client,
    transport: server.transport(),
    kubeconfig(user) {
      const path = join(directory, `${user}.kubeconfig`)
      writeFileSync(path, kubeconfigFor(user, url, ca), { mode: 0o600 })
      return path
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function tokenWebhookAt(kubeconfig: string, log: Log, opened: AsyncDisposableStack): Promise<TokenWebhookOptions> {
  const [clock, files] = [systemClock, systemFiles]
  const { transport } = opened.use(await defaultTransport({ kubeconfig, clock, files }))
  const server = { transport, path: "" }
  return { clock, random: systemRandom(), log, server, timeout: 30_000, version: "v1", cacheTtl: 120_000 }
}

function knownTokens(): ReadonlyMap<string, { name: string; uid: string; groups: readonly string[] }> {
  return new Map(Object.values(users).map(({ token, user, groups }, at) => [token, { name: user, uid: String(at + 1), groups }]))
}
