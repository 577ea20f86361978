import { type Command, Option } from "commander"

/**
 * Flags of kube-apiserver that scripts set and that change nothing here: limits, logs, caches and ways to components we do without.
 * A flag that would admit or refuse a client is not among them: ignoring that one would be a hole.
 */
export const ignoredFlags: readonly string[] = [
  "apiserver-count",
  "audit-log-format",
  "audit-log-maxage",
  "audit-log-maxbackup",
  "audit-log-maxsize",
  "audit-log-path",
  "audit-policy-file",
  "contention-profiling",
  "default-not-ready-toleration-seconds",
  "default-unreachable-toleration-seconds",
  "default-watch-cache-size",
  "delete-collection-workers",
  "emulated-version",
  "enable-aggregator-routing",
  "enable-garbage-collector",
  "enable-priority-and-fairness",
  "endpoint-reconciler-type",
  "etcd-cafile",
  "etcd-certfile",
  "etcd-compaction-interval",
  "etcd-keyfile",
  "etcd-prefix",
  "external-hostname",
  "feature-gates",
  "goaway-chance",
  "kubelet-timeout",
  "log-flush-frequency",
  "logging-format",
  "min-request-timeout",
  "permit-address-sharing",
  "permit-port-sharing",
  "profiling",
  "request-timeout",
  "service-account-lookup",
  "shutdown-delay-duration",
  "shutdown-send-retry-after",
  "storage-backend",
  "storage-media-type",
  "v",
  "vmodule",
  "watch-cache",
  "watch-cache-sizes",
]

const helpWidth = 100

export function addIgnoredFlags(command: Command): void {
  for (const flag of ignoredFlags) command.addOption(new Option(`${flagWord(flag)} [value]`, "changes nothing here").hideHelp())
}

/** klog's is the only one that upstream has a letter for. */
export function flagWord(flag: string): string {
  return flag === "v" ? "-v, --v" : `--${flag}`
}

/** For --help: too many for a line each. */
export function ignoredFlagsHelp(): string {
  const lines = ignoredFlags.reduce<readonly string[]>((before, flag) => {
    const line = `${before.at(-1) ?? ""} --${flag}`
    return before.length === 0 || line.length > helpWidth ? [...before, `  --${flag}`] : [...before.slice(0, -1), line]
  }, [])
  return `\nFlags of kube-apiserver that are taken and change nothing here:\n${lines.join("\n")}`
}

/** Returns a message for each ignored flag that was set. */
export function ignoredFlagsIn(options: object): readonly string[] {
  const set = ignoredFlags.filter((flag) => Object.hasOwn(options, new Option(`--${flag} [value]`).attributeName()))
  return set.length === 0 ? [] : [`these flags change nothing here: ${set.map((flag) => `--${flag}`).join(", ")}`]
}
