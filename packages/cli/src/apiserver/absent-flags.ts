import { PilothouseError } from "@pilothouse/seams"
import { type Command, Option } from "commander"

/** Flags of kube-apiserver 1.36 for what is not here. Taking them would promise what is not done: to log in, to encrypt, to write down who did what. */
export const absentFlags: readonly string[] = [
  "aggregator-reject-forwarding-redirect",
  "allow-metric-labels",
  "allow-metric-labels-manifest",
  "audit-log-batch-buffer-size",
  "audit-log-batch-max-size",
  "audit-log-batch-max-wait",
  "audit-log-batch-throttle-burst",
  "audit-log-batch-throttle-enable",
  "audit-log-batch-throttle-qps",
  "audit-log-compress",
  "audit-log-mode",
  "audit-log-truncate-enabled",
  "audit-log-truncate-max-batch-size",
  "audit-log-truncate-max-event-size",
  "audit-log-version",
  "audit-webhook-batch-buffer-size",
  "audit-webhook-batch-max-size",
  "audit-webhook-batch-max-wait",
  "audit-webhook-batch-throttle-burst",
  "audit-webhook-batch-throttle-enable",
  "audit-webhook-batch-throttle-qps",
  "audit-webhook-config-file",
  "audit-webhook-initial-backoff",
  "audit-webhook-mode",
  "audit-webhook-truncate-enabled",
  "audit-webhook-truncate-max-batch-size",
  "audit-webhook-truncate-max-event-size",
  "audit-webhook-version",
  "authentication-config",
  "authorization-policy-file",
  "coordinated-leadership-lease-duration",
  "coordinated-leadership-renew-deadline",
  "coordinated-leadership-retry-period",
  "cors-allowed-origins",
  "debug-socket-path",
  "disable-http2-serving",
  "disabled-metrics",
  "egress-selector-config-file",
  "emulation-forward-compatible",
  "enable-logs-handler",
  "encryption-provider-config",
  "encryption-provider-config-automatic-reload",
  "etcd-count-metric-poll-period",
  "etcd-db-metric-poll-interval",
  "etcd-healthcheck-timeout",
  "etcd-readycheck-timeout",
  "etcd-servers-overrides",
  "kubernetes-service-node-port",
  "lease-reuse-duration-seconds",
  "livez-grace-period",
  "log-json-info-buffer-size",
  "log-json-split-stream",
  "log-text-info-buffer-size",
  "log-text-split-stream",
  "max-connection-bytes-per-sec",
  "min-compatibility-version",
  "oidc-ca-file",
  "oidc-client-id",
  "oidc-groups-claim",
  "oidc-groups-prefix",
  "oidc-issuer-url",
  "oidc-required-claim",
  "oidc-signing-algs",
  "oidc-username-claim",
  "oidc-username-prefix",
  "peer-advertise-ip",
  "peer-advertise-port",
  "peer-ca-file",
  "runtime-config-emulation-forward-compatible",
  "service-account-jwks-uri",
  "service-account-signing-endpoint",
  "show-hidden-metrics-for-version",
  "shutdown-watch-termination-grace-period",
  "storage-initialization-timeout",
  "strict-transport-security-directives",
  "tls-curve-preferences",
  "tls-sni-cert-key",
  "tracing-config-file",
]

/** Adds the flags of kube-apiserver that have no effect here: using one is an error that says so. */
export function addAbsentFlags(command: Command): void {
  for (const flag of absentFlags) {
    const refuse = (): never => {
      throw new PilothouseError(
        "USAGE",
        `expected flags that have their effect here, found --${flag}: kube-apiserver has it, it is not here; leave it out`,
      )
    }
    // Without a value too: some are switches.
    command.addOption(new Option(`--${flag} [value]`, "is not here").hideHelp().argParser(refuse).preset("true"))
  }
}

/** Flags that kube-apiserver once had, or has only just still, and what to say instead. */
const refusedFlags: Readonly<Record<string, string>> = {
  "admission-control": "use --enable-admission-plugins and --disable-admission-plugins: the order is fixed, and the usual ones are on",
  "insecure-port": "there is no port without TLS: use --secure-port",
  "insecure-bind-address": "there is no port without TLS: use --bind-address",
  "kubelet-https": "leave it out",
}

/** Adds the flags that kube-apiserver had once: using one is an error that names what to use instead. */
export function addRefusedFlags(command: Command): void {
  for (const [flag, instead] of Object.entries(refusedFlags)) {
    const refuse = (): never => {
      const fate =
        flag === "admission-control" ? "is deprecated in kube-apiserver, and not here" : "was removed from kube-apiserver long ago"
      throw new PilothouseError("USAGE", `--${flag} ${fate}; ${instead}`)
    }
    command.addOption(new Option(`--${flag} <value>`, "was removed").hideHelp().argParser(refuse))
  }
}
