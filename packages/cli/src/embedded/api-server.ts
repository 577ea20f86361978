import { deepEqual } from "@pilothouse/api"
import {
  type ApiServer,
  type ApiServerOptions,
  authenticatedTransports,
  authenticator,
  type CertificateOptions,
  type Certificates,
  certificateAuthority,
  createApiServer,
  defaultAdmissionPluginNames,
  diskStorage,
  ensureCertificates,
  ensureFrontProxy,
  type HttpsServer,
  hostAndPort,
  memoryStorage,
  renewCertificates,
  type ServeOptions,
  saveRenewed,
  serveHttps,
} from "@pilothouse/apiserver"
import { accountUser, kubeletClientRole } from "@pilothouse/controllers"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { advertisedAddress, isUnspecified } from "../apiserver/advertised-address.ts"
import { authorizesAnonymous } from "../apiserver/authorization.ts"
import type { KubeletClient } from "../apiserver/kubelet-dialer.ts"
import { webhookDialer } from "../apiserver/webhook-dialer.ts"
import { signClientCertificate } from "../certificates/client-certificate.ts"
import { renewWhileRunning } from "../certificates/renewal.ts"
import { type Kubeconfig, kubeconfig } from "../kubeconfig/kubeconfig.ts"
import { stopGrace } from "../process/process.ts"
import { LastRequest } from "../process/watchdog.ts"
import { componentRolesOf } from "./accounts.ts"
import type { EmbeddedClusterOptions } from "./cluster.ts"

/** The port of the API server of `up` where it is free. */
export const defaultPort = 6443
const portsToTry = 100

/** Serves on the asked port; when none was asked for, on the usual one or the next that is free. */
export async function listen(options: Omit<ServeOptions, "port">, asked: number | undefined): Promise<HttpsServer> {
  if (asked !== undefined) return serveHttps({ ...options, port: asked })
  for (let port = defaultPort; ; port++) {
    try {
      return await serveHttps({ ...options, port })
    } catch (error) {
      const taken = error instanceof PilothouseError && error.code === "PORT_TAKEN"
      if (!taken || port >= defaultPort + portsToTry) throw error
    }
  }
}

/** What others in this process answer on the server's behalf. */
export interface HandedToApi
  extends Pick<ApiServerOptions, "allowLoopbackEndpoints" | "dialPod" | "extensions" | "kubelet" | "metricsText"> {
  readonly lastRequest?: LastRequest
}

/** Disposing closes the port, the server and its storage. */
export interface EmbeddedApi extends AsyncDisposable {
  readonly server: ApiServer
  readonly port: number
  readonly url: string
  readonly certificates: Certificates
  /** How real kubelets are reached, and what they know this server by. */
  readonly kubeletClient: KubeletClient
  /** Of the start: its client certificate lasts for a year, and `kubeconfigRenewed` of the options gets each later one. */
  readonly kubeconfig: Kubeconfig
}

const loopback = "127.0.0.1"
/** Milliseconds after which the certificate for kubelets is signed again: half of its life. */
const renewalTime = 180 * 24 * 3_600_000

/** The API server of a cluster in this process, on its port. Whatever fails on the way, nothing is left open. */
export async function startEmbeddedApi(
  options: EmbeddedClusterOptions,
  { lastRequest = new LastRequest(), ...handed }: HandedToApi,
): Promise<EmbeddedApi> {
  const { clock, random, files, log, bindAddress: host = loopback } = options
  const advertised = advertisedAddress({ bindAddress: host }, options.addresses)
  await using starting = new AsyncDisposableStack()
  const directory = `${options.dataDirectory}/pki`
  const hasObjects = files.facts(`${options.dataDirectory}/storage`) !== undefined
  const kept = { files, directory, clock, random, log, hasObjects, serviceIp: "10.96.0.1", addresses: [advertised] }
  const certificates = await ensureCertificates(kept)
  const frontProxy = await ensureFrontProxy(kept)
  const opened = options.ephemeral
    ? memoryStorage({ log })
    : await diskStorage({ directory: `${options.dataDirectory}/storage`, clock, log, isOwner: options.isOwner })
  const storage = starting.adopt(opened, (one) => one.close())
  // The server tells pods its port, so the port comes first; no request is read before this function has gone on.
  const transportFor: ServeOptions["transportFor"] = (peer, head) => transports(peer, head)
  const https = await listen({ transportFor, host, certificates, clock, random, log }, options.port)
  starting.defer(() => https.close(stopGrace))
  const { dial } = starting.use(webhookDialer(clock))
  const created = createApiServer({
    ...handed,
    dial,
    // The controllers that some of them leave work to all run here.
    admission: { enable: defaultAdmissionPluginNames },
    clock,
    random,
    log,
    storage,
    serviceAccounts: { ...certificates.serviceAccount, issuer: "https://kubernetes.default.svc.cluster.local" },
    bootstrapTokenAuth: true,
    clientCa: certificates.ca.certificate,
    frontProxy,
    advertise: { address: advertised, port: https.port },
    authorizationModes: options.authorizationModes,
    componentRoles: componentRolesOf(options),
    ...(options.enabledVersions && { enabledVersions: options.enabledVersions }),
    ...(options.hostname !== undefined && { hostname: options.hostname }),
  })
  starting.defer(() => created.close())
  const server: ApiServer = { ...created, transport: (identity) => lastRequest.noted(created.transport(identity)) }
  const authenticate = authenticator({ tokenReview: (token) => server.tokenReview(token) })
  const transports = authenticatedTransports(authenticate, (identity) => server.transport(identity), {
    authorizesAnonymous: authorizesAnonymous(options.authorizationModes),
  })
  const url = `https://${hostAndPort(isUnspecified(host) ? loopback : host, https.port)}`
  const held = { certificates }
  const renewal = { held, kept, https, kubeconfigOf: (admin: Certificates["admin"]) => configOf(url, certificates, admin) }
  starting.use(renewEmbeddedCertificates(renewal, options))
  const running = starting.move()
  return {
    server,
    port: https.port,
    url,
    certificates,
    // As kubeadm sets it: names of nodes are in no DNS that this process asks.
    kubeletClient: { dial, identity: kubeletIdentity(certificates, options), addressTypes: ["InternalIP", "ExternalIP", "Hostname"] },
    kubeconfig: renewal.kubeconfigOf(certificates.admin),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** What kubelets know the server by: signed for the first real one, and again before it ends. It is not the administrator's, for a node says itself where it is. */
function kubeletIdentity({ ca }: Certificates, { clock, random }: EmbeddedClusterOptions): () => Certificates["admin"] {
  const { name: user } = accountUser(kubeletClientRole.account)
  let signed: Certificates["admin"] | undefined
  let renewed = 0
  return () => {
    if (signed === undefined || clock.now() - renewed > renewalTime) {
      signed = signClientCertificate({ authority: certificateAuthority(ca), user, groups: [], clock, random })
      renewed = clock.now()
    }
    return signed
  }
}

function configOf(server: string, { ca }: Certificates, admin: Certificates["admin"]): Kubeconfig {
  return kubeconfig({ server, ca: ca.certificate, ...admin })
}

interface EmbeddedRenewal {
  /** Those of the start at first, and the renewed ones later. */
  readonly held: { certificates: Certificates }
  readonly kept: CertificateOptions
  readonly https: Pick<HttpsServer, "renew">
  kubeconfigOf(admin: Certificates["admin"]): Kubeconfig
}

/** Clients in this process show no certificate, and the keys that sign tokens stay: only the server's and the administrator's are renewed. */
function renewEmbeddedCertificates(
  { held, kept, https, kubeconfigOf }: EmbeddedRenewal,
  { clock, log, kubeconfigRenewed }: EmbeddedClusterOptions,
): AsyncDisposable {
  const { certificates } = held
  const issued = [kubeconfigOf(certificates.admin)]
  return renewWhileRunning({
    of: "the API server",
    clock,
    log,
    certificates: () => [held.certificates.server.certificate, held.certificates.admin.certificate],
    authority: { certificate: certificates.ca.certificate, file: `${kept.directory}/ca.crt` },
    async renew() {
      const current = await renewCertificates(held.certificates, kept)
      held.certificates = current
      https.renew(current)
      const renewed = kubeconfigOf(current.admin)
      // Each is for itself: a file that cannot be written keeps neither the next start nor other files from the new certificate.
      const parts = [async () => saveRenewed(current, kept), async () => kubeconfigRenewed?.(issued, renewed)]
      const failures = (await Promise.allSettled(parts.map((part) => part()))).filter((one) => one.status === "rejected")
      if (!deepEqual(issued.at(-1), renewed)) issued.push(renewed)
      if (failures.length > 0) throw new PilothouseError("FILE", failures.map(({ reason }) => messageOf(reason)).join("; "))
    },
  })
}
