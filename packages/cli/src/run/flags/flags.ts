import { cloudControllers } from "@pilothouse/cloud"
import { controllers, type FeatureGates } from "@pilothouse/controllers"
import { countFlag, durationFlag, type Flag, type Flags, numberFlag, type Settings, switchFlag, textFlag } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { eitherOf, nearHint } from "../../flags/flag-values.ts"

/** A list in one word, "a,b", or as a list in a file. */
function listFlag(fallback: readonly string[], about: string): Flag<readonly string[]> {
  return {
    default: fallback,
    about,
    kind: "list",
    parse: (given) =>
      (Array.isArray(given) ? given.map(String) : String(given).split(",")).map((word) => word.trim()).filter((word) => word !== ""),
  }
}

/** Pairs in words, "A=true,kube:B=false", or as a map in a file. Returns "A=true" for each. */
function featureGatesFlag(about: string): Flag<readonly string[]> {
  const list = listFlag([], about)
  return {
    ...list,
    parse: (given) => {
      const isMap = typeof given === "object" && given !== null && !Array.isArray(given)
      const words = list.parse(isMap ? Object.entries(given).map(([name, value]) => `${name}=${value}`) : given)
      return words.map((word) => featureGateWord(word))
    },
  }
}

/** Other components have gates in the same flag: "wardle:A=true". */
function featureGateWord(word: string): string {
  const [, name, value] = /^(?:[\w.-]+:)?(\w+)=(\w+)$/.exec(word) ?? []
  if (name === undefined || !["true", "false"].includes(value ?? ""))
    throw new PilothouseError("INVALID", `expected feature gates such as "GenericWorkload=true", found ${JSON.stringify(word)}`)
  return `${name}=${value}`
}

/** Returns the values of --feature-gates by name; the last one of a name counts. */
export function featureGatesOf({ "feature-gates": words }: Pick<OwnSettings, "feature-gates">): FeatureGates {
  return Object.fromEntries(words.map((word) => word.split("=")).map(([name, value]) => [name, value === "true"]))
}

/** One of these words. Read with all the others, so that a file with a wrong one is refused before anything of it is taken over. */
function wordFlag<const Word extends string>(words: readonly Word[], fallback: Word, about: string): Flag<Word> {
  return {
    default: fallback,
    about,
    kind: "string",
    parse: (given) => {
      const found = words.find((word) => word === given)
      if (found !== undefined) return found
      const hint = nearHint(String(given), words)
      throw new PilothouseError("INVALID", `expected ${eitherOf(words)}, found ${JSON.stringify(given)}${hint}`)
    },
  }
}

function portFlag(fallback: number, about: string): Flag<number> {
  const count = countFlag(fallback, about, 0)
  return {
    ...count,
    parse: (given) => {
      const port = count.parse(given)
      if (port <= 65_535) return port
      throw new PilothouseError("INVALID", `expected a port from 0 to 65535, found ${JSON.stringify(given)}`)
    },
  }
}

/** A URL, also as templates make it of a pod's address: that of an IPv6 pod has no brackets. */
function debugAddressFlag(about: string): Flag<string> {
  const text = textFlag("", about)
  return { ...text, parse: (given) => withBrackets(text.parse(given)) }
}

/** "https://fd00::1:10257" → "https://[fd00::1]:10257" */
function withBrackets(url: string): string {
  return url.replace(/^(https?:\/\/)([\da-f]*:[\da-f:]*:[\da-f]*)(:\d+\/?)$/i, "$1[$2]$3")
}

/** What `run` takes besides the flags of the controllers: the names are those of kube-controller-manager. */
export const ownFlags = {
  kubeconfig: textFlag("", "the cluster to work on (default: $KUBECONFIG, ~/.kube/config, or the pod's service account)"),
  context: textFlag("", "a context of the kubeconfig other than the current one"),
  controllers: listFlag(["*"], 'which controllers: "*" all that are on by default, "x" that one, "*,-x" all but that one'),
  "feature-gates": featureGatesFlag("feature gates of Kubernetes that turn controllers on or off: GenericWorkload=true"),
  "dry-run": switchFlag(false, "decide and print, and write nothing"),
  "leader-elect": switchFlag(true, "of several only one works, the others stand by"),
  "leader-elect-lease-duration": durationFlag("15s", "how long a leader that does not renew its lease counts as alive"),
  "leader-elect-renew-deadline": durationFlag("10s", "how long a leader tries to renew before it gives up by itself"),
  "leader-elect-retry-period": durationFlag("2s", "between two tries"),
  "leader-elect-resource-name": textFlag(
    "kube-controller-manager",
    "name of the Lease; with upstream's own name the two never work at once",
  ),
  "leader-elect-resource-namespace": textFlag("kube-system", "namespace of the Lease"),
  "secure-port": portFlag(10257, "port of health, metrics and trace, over TLS; 0 for none"),
  "bind-address": textFlag("127.0.0.1", "address of that port"),
  "cert-dir": textFlag(
    "",
    "directory of the port's certificate; made where it is missing (default: .pilothouse/run, or memory where that cannot be written)",
  ),
  "tls-cert-file": textFlag("", "certificate of the port (PEM). Followed, and read again at SIGHUP"),
  "tls-private-key-file": textFlag("", "key of that certificate (PEM)"),
  "tls-min-version": textFlag("", "oldest TLS that is spoken there: VersionTLS12, VersionTLS13 (default: VersionTLS12)"),
  "tls-cipher-suites": listFlag([], "suites of TLS 1.2, by Go's names; those of TLS 1.3 are always on"),
  "client-ca-file": textFlag("", "authority of client certificates (PEM): who shows one needs no token. Followed, as the port's own"),
  "debug-address": debugAddressFlag(
    "where others reach that port, written on the leader's Lease for `pilothouse explain` (default: its own address)",
  ),
  openstack: switchFlag(
    false,
    "the handlers that make pods Neutron ports and Services load balancers; other controllers only where --controllers names them, and by default port 8082 and the Lease kuryr-controller",
  ),
  "config-file": textFlag("", "kuryr.conf of the handlers, or a YAML file with its sections as keys"),
  "os-cloud": textFlag(
    "",
    "a cloud of clouds.yaml (default: [neutron] of kuryr.conf, [Global] of cloud.conf, $OS_CLOUD, or the OS_* variables)",
  ),
  "cloud-provider": textFlag(
    "",
    "the cloud: openstack, memory (remembered, for trying things out), a plug-in (./provider.js, or the name of a package), external (another program), or nothing",
  ),
  "cloud-config": textFlag("", "configuration of the cloud: cloud.conf of the provider openstack, or a file whose text a plug-in is given"),
  "cluster-name": textFlag("kubernetes", "what this cluster is called in the cloud; two clusters on one cloud need two names"),
  "concurrent-service-syncs": countFlag(1, "load balancers that are worked on at once"),
  "use-service-account-credentials": switchFlag(
    false,
    "each controller asks as a ServiceAccount of its own in kube-system, made where it is missing",
  ),
  "root-ca-file": textFlag("", "authority that pods check the API server by (default: the kubeconfig's)"),
  "service-account-private-key-file": textFlag("", "key that token Secrets are signed with (PEM)"),
  "cluster-signing-cert-file": textFlag("", "authority that signs CertificateSigningRequests (PEM). Read again for every signature"),
  "cluster-signing-key-file": textFlag("", "key of that authority (PEM)"),
  "cluster-signing-kubelet-serving-cert-file": textFlag("", "authority of the signer kubernetes.io/kubelet-serving alone"),
  "cluster-signing-kubelet-serving-key-file": textFlag("", "key of that authority"),
  "cluster-signing-kubelet-client-cert-file": textFlag("", "authority of the signer kubernetes.io/kube-apiserver-client-kubelet alone"),
  "cluster-signing-kubelet-client-key-file": textFlag("", "key of that authority"),
  "cluster-signing-kube-apiserver-client-cert-file": textFlag("", "authority of the signer kubernetes.io/kube-apiserver-client alone"),
  "cluster-signing-kube-apiserver-client-key-file": textFlag("", "key of that authority"),
  "cluster-signing-legacy-unknown-cert-file": textFlag("", "authority of the signer kubernetes.io/legacy-unknown alone"),
  "cluster-signing-legacy-unknown-key-file": textFlag("", "key of that authority"),
  "kube-api-qps": requestRateFlag("requests per second that a controller sends, on average; 0 and below: no limit"),
  "kube-api-burst": countFlag(30, "requests that it sends at once after a pause, with --kube-api-qps"),
  "controller-start-interval": durationFlag("0s", "between the starts of two controllers, once to twice as long"),
  "controller-shutdown-timeout": durationFlag("10s", "how long work in progress may take to end"),
  "log-level": wordFlag(["debug", "info", "warn", "error"], "info", "debug, info, warn or error"),
  "logging-format": wordFlag(["text", "json"], "text", "text, or json"),
} satisfies Flags

/** What --openstack changes about those that were not said: kuryr's own Lease and port, and no controller that another program runs. */
export const openStackDefaults: Partial<Record<keyof typeof ownFlags, unknown>> = {
  controllers: [],
  "leader-elect-resource-name": "kuryr-controller",
  "secure-port": 8082,
}

export type OwnSettings = Settings<typeof ownFlags>

/** Returns the flags of every controller, of the cloud controllers too; a name that two controllers share means the same for both. */
export function controllerFlags(): Flags {
  const all = [...cloudControllers, ...controllers].flatMap(({ flags }) => Object.entries(flags))
  return Object.fromEntries(all.filter(([name]) => !(name in ownFlags)))
}

/** Upstream takes a negative number for "no limit" too. */
function requestRateFlag(about: string): Flag<number> {
  const flag = numberFlag(0, about)
  return { ...flag, parse: (given) => (Number(given) < 0 ? 0 : flag.parse(given)) }
}
