import { createPrivateKey, createPublicKey } from "node:crypto"
import {
  type AdmissionOptions,
  type ApiServer,
  administrator,
  authenticatedTransports,
  authenticator,
  createApiServer,
  defaultAdmissionPluginNames,
  defaultInFlight,
  diskStorage,
  ensureAdminToken,
  hostAndPort,
  type Identity,
  memoryStorage,
  type PortRange,
  readTokenFile,
  type ServeOptions,
  type ServiceAccountOptions,
  serveHttps,
  type TlsLimits,
} from "@pilothouse/apiserver"
import { type Clock, type Files, type Log, memoryMetrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { fileOf, pemOf } from "../certificates/pem-files.ts"
import { type Kubeconfig, kubeconfig } from "../kubeconfig/kubeconfig.ts"
import { stopGrace } from "../process/process.ts"
import { LastRequest, watchEventLoop } from "../process/watchdog.ts"
import { admissionConfigurationOf, imagePolicyOf } from "./admission-configuration.ts"
import { advertisedAddress, isUnspecified } from "./advertised-address.ts"
import { type AuthorizationFlags, authorizersOf, authorizesAnonymous, type OpenedAuthorizers, readAuthorizers } from "./authorization.ts"
import { AuthorizationReload, type AuthorizationReloadOptions } from "./authorization-reload.ts"
import { type ChosenCertificates, chooseCertificates } from "./certificates.ts"
import { type FrontProxyFlags, frontProxyOf } from "./front-proxy.ts"
import { type KubeletFlags, kubeletsOf } from "./kubelet-flags.ts"
import { keepCertificatesValid } from "./renew-certificates.ts"
import { type TokenWebhookFlags, tokenWebhookOf } from "./review-server.ts"
import { webhookDialer } from "./webhook-dialer.ts"

const defaultIssuer = "https://kubernetes.default.svc.cluster.local"

/** As the command line gives them. */
export interface ApiServerFlags extends AuthorizationFlags, FrontProxyFlags, KubeletFlags, TokenWebhookFlags {
  readonly securePort: number
  readonly bindAddress: string
  readonly advertiseAddress?: string
  readonly dataDir: string
  readonly ephemeral?: boolean
  /** Group versions that are off by default and turned on. */
  readonly runtimeConfig?: readonly string[]
  readonly certDir?: string
  readonly tlsCertFile?: string
  readonly tlsPrivateKeyFile?: string
  /** In node's words. */
  readonly tlsMinVersion?: TlsLimits["minVersion"]
  /** In OpenSSL's. */
  readonly tlsCipherSuites?: string
  readonly clientCaFile?: string
  readonly tokenAuthFile?: string
  readonly anonymousAuth?: boolean
  readonly allowPrivileged?: boolean
  readonly enableBootstrapTokenAuth?: boolean
  readonly serviceAccountExtendTokenExpiration?: boolean
  /** Milliseconds; 0 for no limit. */
  readonly serviceAccountMaxTokenExpiration?: number
  readonly serviceClusterIpRange: string
  readonly serviceNodePortRange?: PortRange
  readonly serviceAccountIssuer?: readonly string[]
  readonly serviceAccountSigningKeyFile?: string
  readonly serviceAccountKeyFile?: readonly string[]
  readonly apiAudiences?: readonly string[]
  readonly enableAdmissionPlugins?: readonly string[]
  readonly disableAdmissionPlugins?: readonly string[]
  readonly admissionControlConfigFile?: string
  /** Milliseconds. */
  readonly eventTtl: number
  /** 0 for the default. */
  readonly http2MaxStreamsPerConnection?: number
  /** 0 for no limit. */
  readonly maxRequestsInflight?: number
  /** 0 for no limit. */
  readonly maxMutatingRequestsInflight?: number
  readonly etcdServers?: readonly string[]
  /** To be logged, and nothing else to be done. */
  readonly version?: boolean
}

/** The edges of the API server: clock, randomness, files and log, and the names by which clients reach it. */
export interface Seams {
  /** Those of this machine that others reach it by. */
  readonly addresses?: readonly string[]
  /** The name of this machine. */
  readonly hostname?: string
  /** Called when clients have to check the server by another certificate, with all kubeconfigs since the start and the one to use from now on. */
  readonly kubeconfigRenewed?: (issued: readonly Kubeconfig[], after: Kubeconfig) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
  /** Whether this process still owns the data directory. */
  readonly isOwner?: () => boolean
}

/** Disposing stops it. */
export interface RunningApiServer extends AsyncDisposable {
  readonly url: string
  readonly kubeconfig: Kubeconfig
}

/** The API server alone. Whatever fails on the way, nothing is left running. */
export async function startApiServer(given: ApiServerFlags, seams: Seams): Promise<RunningApiServer> {
  const flags = { ...given, advertiseAddress: advertisedAddress(given, seams.addresses) }
  const { clock, log } = seams
  await using starting = new AsyncDisposableStack()
  const listed = tokensOf(flags, seams)
  // Where there are objects, keys had been issued: where they are missing, they were lost.
  const hasObjects = seams.files.facts(`${flags.dataDir}/storage`) !== undefined
  const isFirstStart = !hasObjects && seams.files.facts(`${flags.dataDir}/pki`) === undefined
  const certificates = await chooseCertificates(flags, seams, hasObjects)
  const serviceAccounts = serviceAccountsOf(flags, certificates.serviceAccount, seams)
  const token = ensureAdminToken({ ...seams, directory: `${flags.dataDir}/pki`, isFirstStart })
  const storage = starting.adopt(await openStorage(flags, seams), (opened) => opened.close())
  // No request is read before this function has gone on.
  const transportFor: ServeOptions["transportFor"] = (peer, head) => transports(peer, head)
  const metrics = memoryMetrics()
  const https = await serveHttps({
    ...seams,
    ...edgeLimits(flags),
    metrics,
    transportFor,
    host: flags.bindAddress,
    port: flags.securePort,
    certificates,
    tls: tlsLimits(flags),
  })
  starting.defer(() => https.close(stopGrace))
  const [tokenWebhook, authorizers] = [await tokenWebhookOf(flags, seams, starting), await authorizersOf(flags, seams)]
  const server: ApiServer = createApiServer({
    ...seams,
    ...kubeletsOf(flags, { ...seams, ...starting.use(webhookDialer(clock)), transport: () => server.transport() }),
    authorizationModes: authorizers.modes,
    metrics,
    metricsText: () => metrics.text(),
    storage,
    serviceAccounts,
    tokens: new Map([[token, administrator], ...listed]),
    bootstrapTokenAuth: flags.enableBootstrapTokenAuth ?? false,
    ...(tokenWebhook && { tokenWebhook }),
    clientCa: certificates.clientCa,
    frontProxy: await frontProxyOf(flags, { ...seams, directory: `${flags.dataDir}/pki` }),
    ...servedSettings(flags),
    ...(seams.hostname !== undefined && { hostname: seams.hostname }),
    admission: await admissionOf(flags, seams, starting),
    advertise: { address: flags.advertiseAddress, port: https.port },
  })
  starting.defer(() => server.close())
  starting.use(followConfiguration(flags.authorizationConfig, authorizers, { ...seams, metrics, server }))
  const lastRequest = new LastRequest()
  const transports = transportsOf(server, lastRequest, flags.anonymousAuth ?? true, authorizesAnonymous(authorizers.modes))
  const url = `https://${hostAndPort(isUnspecified(flags.bindAddress) ? "127.0.0.1" : flags.bindAddress, https.port)}`
  const published = kubeconfig({ server: url, ca: certificates.trust, token })
  const trustChanged = republish(published, (ca) => kubeconfig({ server: url, ca, token }), seams.kubeconfigRenewed)
  starting.use(keepCertificatesValid(certificates, { clock, log, https, trustChanged }))
  // The event loop is a real one, also where the time of the cluster is virtual.
  starting.use(watchEventLoop({ clock: systemClock, log, metrics, lastRequest }))
  const running = starting.move()
  return {
    url,
    kubeconfig: published,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function transportsOf(server: ApiServer, lastRequest: LastRequest, anonymousAuth: boolean, mayAuthorize: boolean) {
  const authenticate = authenticator({ tokenReview: (text) => server.tokenReview(text), anonymousAuth })
  const handler = (identity: Identity) => lastRequest.noted(server.transport(identity))
  return authenticatedTransports(authenticate, handler, { authorizesAnonymous: mayAuthorize })
}

/** What is followed closes what it opened, also what it began with. */
function followConfiguration(
  path: string | undefined,
  started: OpenedAuthorizers,
  around: Seams & Pick<AuthorizationReloadOptions, "metrics" | "server">,
): AsyncDisposable {
  if (path === undefined) return started
  const { hostname = "" } = around
  return new AuthorizationReload({ ...around, path, started, hostname, read: (text) => readAuthorizers(text, around) }).start()
}

/** How tokens of service accounts are made and known. */
function serviceAccountsOf(flags: ApiServerFlags, own: ChosenCertificates["serviceAccount"], { files }: Seams): ServiceAccountOptions {
  const { serviceAccountIssuer = [], serviceAccountKeyFile = [], serviceAccountSigningKeyFile, apiAudiences } = flags
  const [issuer = defaultIssuer, ...issuers] = serviceAccountIssuer
  const publicKeys = serviceAccountKeyFile.map((path) => pemOf(files, "--service-account-key-file", path))
  const keys = serviceAccountSigningKeyFile === undefined ? own : signingKeys(files, serviceAccountSigningKeyFile)
  if (keys === undefined) throw new PilothouseError("USAGE", "expected a key for --service-account-signing-key-file, found none")
  const maxSeconds = (flags.serviceAccountMaxTokenExpiration ?? 0) / 1000
  const extendExpiration = flags.serviceAccountExtendTokenExpiration ?? true
  const limits = { extendExpiration, ...(maxSeconds > 0 && { maxSeconds }) }
  return { ...keys, ...limits, publicKeys, issuer, issuers, ...(apiAudiences !== undefined && { audiences: apiAudiences }) }
}

function signingKeys(files: Seams["files"], path: string): Pick<ServiceAccountOptions, "key" | "publicKey"> {
  const key = pemOf(files, "--service-account-signing-key-file", path)
  try {
    return { key, publicKey: createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "pem" }).toString() }
  } catch (error) {
    throw new PilothouseError(
      "USAGE",
      `expected a PEM private key in ${path}, found something else (${messageOf(error)}); give the right file`,
    )
  }
}

function openStorage({ ephemeral, dataDir }: ApiServerFlags, { clock, log, isOwner }: Seams) {
  return ephemeral ? memoryStorage({ log }) : diskStorage({ directory: `${dataDir}/storage`, clock, log, isOwner })
}

/** Passes on the kubeconfig of each new authority, together with those that it may replace. */
function republish(first: Kubeconfig, withAuthority: (ca: string) => Kubeconfig, renewed: Seams["kubeconfigRenewed"]) {
  const issued = [first]
  return async (ca: string) => {
    const next = withAuthority(ca)
    const before = [...issued]
    issued.push(next)
    await renewed?.(before, next)
  }
}

/** What is served, and from which ranges Services get theirs. */
function servedSettings({ serviceClusterIpRange, serviceNodePortRange, eventTtl, runtimeConfig }: ApiServerFlags) {
  const ranges = { serviceClusterIpRange, ...(serviceNodePortRange !== undefined && { serviceNodePortRange }) }
  return { ...ranges, eventTtl, ...(runtimeConfig && { enabledVersions: runtimeConfig }) }
}

function edgeLimits(flags: ApiServerFlags): Pick<ServeOptions, "http2MaxStreams" | "inFlight"> {
  const { http2MaxStreamsPerConnection = 0, maxRequestsInflight: maxRequests, maxMutatingRequestsInflight: maxMutatingRequests } = flags
  return {
    ...(http2MaxStreamsPerConnection > 0 && { http2MaxStreams: http2MaxStreamsPerConnection }),
    inFlight: {
      maxRequests: maxRequests ?? defaultInFlight.maxRequests,
      maxMutatingRequests: maxMutatingRequests ?? defaultInFlight.maxMutatingRequests,
    },
  }
}

function tlsLimits({ tlsMinVersion: minVersion, tlsCipherSuites: ciphers }: ApiServerFlags): TlsLimits {
  return { ...(minVersion !== undefined && { minVersion }), ...(ciphers !== undefined && { ciphers }) }
}

function tokensOf({ tokenAuthFile }: ApiServerFlags, { files, log }: Seams): ReadonlyMap<string, Identity> {
  if (tokenAuthFile === undefined) return new Map()
  const text = fileOf(files, "--token-auth-file", tokenAuthFile)
  try {
    return readTokenFile(text, tokenAuthFile, (warning) => log.warn(`--token-auth-file: ${warning}`))
  } catch (error) {
    throw new PilothouseError("USAGE", `--token-auth-file: ${messageOf(error)}`, { cause: error })
  }
}

/** Upstream's defaults: a user who runs this server alone also runs the controllers that they leave their work to. */
async function admissionOf(flags: ApiServerFlags, seams: Seams, opened: AsyncDisposableStack): Promise<AdmissionOptions> {
  const { enableAdmissionPlugins = [], disableAdmissionPlugins = [], admissionControlConfigFile } = flags
  const defaultPlugins = defaultAdmissionPluginNames.filter((name) => !disableAdmissionPlugins.includes(name))
  const configuration = admissionConfigurationOf(admissionControlConfigFile, seams.files)
  const enable = [...new Set([...defaultPlugins, ...enableAdmissionPlugins])]
  const imagePolicy = enable.includes("ImagePolicyWebhook") ? await imagePolicyOf(configuration, seams, opened) : undefined
  const allowPrivileged = flags.allowPrivileged ?? true
  return { enable, disable: disableAdmissionPlugins, configuration, allowPrivileged, ...(imagePolicy && { imagePolicy }) }
}
