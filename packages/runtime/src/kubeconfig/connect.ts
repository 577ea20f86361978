import { isLoopbackIp } from "@pilothouse/api/net"
import { type Clock, type Files, type Log, PilothouseError, readText, withoutTrailing } from "@pilothouse/seams"
import { anonymous, type Connection } from "../http/connection.ts"
import { checkedProxy, proxyFor } from "../http/proxy-for.ts"
import { userCredentials } from "./credentials.ts"
import { kubeconfigPaths, loadKubeconfig, type ResolvedContext, resolveContext } from "./load.ts"
import { readPem } from "./pem.ts"
import type { RunPlugin } from "./run-plugin.ts"
import { fileToken } from "./token.ts"
import type { ClusterEntry, Environment, UserEntry } from "./types.ts"

/** The service account volume of a pod. */
const directory = "/var/run/secrets/kubernetes.io/serviceaccount"

interface InClusterOptions {
  readonly files: Files
  readonly clock: Clock
  readonly environment: Environment
}

/** Returns the connection to the API server of the cluster that this pod runs in, as its service account. Undefined outside a pod. */
function inCluster({ files, clock, environment }: InClusterOptions): ClusterConnection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  const tokenPath = `${directory}/token`
  if (!host || !port || files.facts(tokenPath) === undefined) return undefined
  const authorities = readPem({ file: `${directory}/ca.crt`, what: "CA of the service account", from: directory }, { files, clock })
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    authorities: () => authorities?.(),
    credentials: fileToken({ files, clock, path: tokenPath, what: "the token of the service account" }),
    namespace: environment.POD_NAMESPACE || readText(files, `${directory}/namespace`)?.trim() || "default",
  }
}

export interface ConnectOptions {
  readonly files: Files
  readonly clock: Clock
  readonly environment: Environment
  /** Starts exec plugins. */
  readonly run: RunPlugin
  /** Warns about a slow exec plugin. */
  readonly log?: Log
  /** This file and no other. */
  readonly kubeconfig?: string
  /** Instead of the current context. */
  readonly context?: string
  /** Whether a plugin may prompt the user at the terminal; false by default. */
  readonly terminal?: boolean
  /** Refuses a kubeconfig that names programs, files or another machine: for one that the user did not name. */
  readonly inlineOnly?: boolean
}

/** A connection and the namespace of its kubeconfig's context. */
export interface ClusterConnection extends Connection {
  /** The default namespace. */
  readonly namespace: string
}

/** Finds the API server and the credentials, as kubectl does: a kubeconfig, or the pod's service account where there is none. */
export async function connect(options: ConnectOptions): Promise<ClusterConnection> {
  const { files, environment, kubeconfig, context } = options
  const config = await loadKubeconfig({ files, environment, path: kubeconfig })
  if (config !== undefined && (config.contexts.size > 0 || context !== undefined || kubeconfig !== undefined)) {
    const [chosen, from] = [resolveContext(config, context), config.from.join(", ")]
    if (options.inlineOnly) refuseUnlessInline(chosen, from)
    return clusterConnection(chosen, from, options)
  }
  const connection = inCluster(options)
  if (connection !== undefined) return { ...connection, proxy: proxyFor(connection.server, environment) }
  throw noCluster(environment)
}

function clusterConnection(context: ResolvedContext, from: string, options: ConnectOptions): ClusterConnection {
  const { cluster, clusterName, user, userName, namespace } = context
  const what = `cluster "${clusterName}" in ${from}`
  const server = serverAddress(cluster, what)
  const insecure = cluster["insecure-skip-tls-verify"] === true
  const data = cluster["certificate-authority-data"]
  const authorities = readPem(
    { data, file: cluster["certificate-authority"], what: `certificate-authority of cluster "${clusterName}"`, from },
    options,
  )
  if (insecure && authorities !== undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected either a certificate-authority or insecure-skip-tls-verify in ${what}, found both; remove one`,
    )
  }
  const proxy = cluster["proxy-url"] ? checkedProxy(cluster["proxy-url"], `proxy-url of ${what}`) : proxyFor(server, options.environment)
  const clusterInfo = () => execClusterInfo({ ...context, server }, authorities?.())
  const details = { ...options, terminal: options.terminal ?? false, name: userName, from, cluster: clusterInfo }
  return {
    server,
    serverName: cluster["tls-server-name"] || undefined,
    insecure,
    proxy,
    namespace,
    authorities: () => authorities?.(),
    headers: impersonationHeaders(user, `user "${userName}" in ${from}`),
    // As kubectl: no token or password is sent over an unencrypted connection.
    credentials: server.startsWith("https:") ? userCredentials(user, details) : anonymous,
  }
}

/** The cluster extension for exec plugins. */
const execExtension = "client.authentication.k8s.io/exec"

/** The cluster info for an exec plugin with provideClusterInfo. */
function execClusterInfo(
  { cluster, server }: ResolvedContext & { readonly server: string },
  authorities: string | undefined,
): Readonly<Record<string, unknown>> {
  const config = cluster.extensions?.find(({ name }) => name === execExtension)?.extension
  return {
    server,
    ...(cluster["tls-server-name"] && { "tls-server-name": cluster["tls-server-name"] }),
    ...(cluster["insecure-skip-tls-verify"] && { "insecure-skip-tls-verify": true }),
    ...(authorities !== undefined && { "certificate-authority-data": Buffer.from(authorities).toString("base64") }),
    ...(cluster["proxy-url"] && { "proxy-url": cluster["proxy-url"] }),
    ...(config !== undefined && { config }),
  }
}

function noCluster(environment: Environment): PilothouseError {
  const paths = kubeconfigPaths(environment)
  const searched = environment.KUBECONFIG ? `in KUBECONFIG (${paths.join(", ")})` : `at ${paths[0] ?? "~/.kube/config (HOME is not set)"}`
  return new PilothouseError(
    "NO_CLUSTER",
    `expected a kubeconfig with a context ${searched}, or a pod's service account, found neither; set KUBECONFIG, or give the path of a kubeconfig`,
  )
}

/** The impersonation headers of a user. */
function impersonationHeaders(user: UserEntry, whose: string): Readonly<Record<string, string | readonly string[]>> {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user
  if (!as) {
    if (!uid && groups.length === 0 && Object.keys(extra).length === 0) return {}
    throw new PilothouseError(
      "INVALID",
      `expected "as" beside as-uid, as-groups or as-user-extra of ${whose}, found none; name the user to impersonate`,
    )
  }
  const extras = Object.entries(extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values] as const,
  )
  return {
    "impersonate-user": as,
    ...(uid && { "impersonate-uid": uid }),
    ...(groups.length > 0 && { "impersonate-group": groups }),
    ...Object.fromEntries(extras),
  }
}

/** The fields that are self-contained. All others name a program, a file or a proxy. */
const inlineClusterFields: readonly string[] = ["server", "certificate-authority-data"]
const inlineUserFields: readonly string[] = ["client-certificate-data", "client-key-data", "token"]

/**
 * For a kubeconfig that the user did not name: one in the working directory may have come with a cloned repository. It must not start
 * programs, send files, or lead to another machine.
 */
function refuseUnlessInline({ cluster, clusterName, user, userName }: ResolvedContext, from: string): void {
  refuseFields(cluster, inlineClusterFields, `cluster "${clusterName}"`, from)
  refuseFields(user, inlineUserFields, `user "${userName}"`, from)
  const server = serverAddress(cluster, `cluster "${clusterName}" in ${from}`)
  if (!isLoopbackHost(new URL(server).hostname)) throw notInline(`the server ${server}`, from)
}

function refuseFields(entry: object, allowed: readonly string[], what: string, from: string): void {
  for (const field of Object.keys(entry)) if (!allowed.includes(field)) throw notInline(`${field} in ${what}`, from)
}

/** `host` in the form of a URL: IPv4 in four parts, IPv6 in brackets. */
function isLoopbackHost(host: string): boolean {
  return host === "localhost" || isLoopbackIp(host.replace(/^\[|\]$/g, ""))
}

function notInline(found: string, from: string): PilothouseError {
  const expected = `expected in ${from}, which was found and not named, a server on this machine and credentials in the file itself`
  return new PilothouseError("INVALID", `${expected}, found ${found}; give --kubeconfig to use this`)
}

/** Returns the server's address with its scheme. The default is https where a certificate field is set, and http otherwise, as for kubectl. */
function serverAddress(cluster: ClusterEntry, what: string): string {
  const { server } = cluster
  if (!server) throw new PilothouseError("INVALID", `expected a server in ${what}, found none; add it, for example https://10.0.0.1:6443`)
  const secure = cluster["certificate-authority"] || cluster["certificate-authority-data"] || cluster["insecure-skip-tls-verify"]
  const address = server.includes("://") ? server : `${secure ? "https" : "http"}://${server}`
  const url = URL.parse(address)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new PilothouseError(
      "INVALID",
      `expected an address that begins with https:// or http:// as server of ${what}, found ${JSON.stringify(server)}; correct it`,
    )
  }
  return `${url.origin}${withoutTrailing(url.pathname, "/")}`
}
