import { hostname } from "node:os"
import { join, resolve } from "node:path"
import { defaultInFlight, defaultNodePorts, gitVersion } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import { type Command, Option } from "commander"
import { addAbsentFlags, addRefusedFlags } from "../apiserver/absent-flags.ts"
import { ipAddress, serviceRange } from "../apiserver/address-flags.ts"
import { addFrontProxyFlags } from "../apiserver/front-proxy.ts"
import { addIgnoredFlags, ignoredFlagsHelp, ignoredFlagsIn } from "../apiserver/ignored-flags.ts"
import { addKubeletFlags } from "../apiserver/kubelet-flags.ts"
import { nodePortRange } from "../apiserver/port-range-flag.ts"
import { type ApiServerFlags, startApiServer } from "../apiserver/start.ts"
import { cipherSuites, tlsVersion } from "../apiserver/tls-flags.ts"
import { warningsFor } from "../apiserver/warnings.ts"
import { openDataDirectory } from "../data-directory/data-directory.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { booleanValue, commaList, goDuration, somePath, wholeNumber } from "../flags/flag-values.ts"
import { runtimeConfig } from "../flags/runtime-config.ts"
import { exportLine, type Kubeconfig, writeKubeconfig } from "../kubeconfig/kubeconfig.ts"
import { ownAddresses } from "../process/own-addresses.ts"
import { waitForStopSignal } from "../process/process.ts"

const hour = 3_600_000

export function addApiServerCommand(program: Command): void {
  const command = program
    .command("apiserver")
    .description("start the API server alone, with the flags of kube-apiserver")
    .option("--secure-port <number>", "port; 0 for any free one", wholeNumber("--secure-port", 0, 65_535), 6443)
    .option("--bind-address <address>", "address to listen on", ipAddress("--bind-address"), "127.0.0.1")
    .option(
      "--advertise-address <address>",
      "where others reach this server (default: the bind address, or one of this machine)",
      ipAddress("--advertise-address"),
    )
    .option("--data-dir <path>", "where objects, keys and the kubeconfig are kept", somePath("--data-dir"), ".pilothouse")
    .option("--ephemeral", "keep objects in memory only")
    .option("--cert-dir <path>", "directory of apiserver.crt and apiserver.key; made where they are missing", somePath("--cert-dir"))
    .option("--tls-cert-file <path>", "certificate of the server (PEM)", somePath("--tls-cert-file"))
    .option("--tls-private-key-file <path>", "key of that certificate (PEM)", somePath("--tls-private-key-file"))
    .option("--tls-min-version <version>", "oldest TLS that is spoken: VersionTLS12, VersionTLS13 (default: VersionTLS12)", tlsVersion)
    .option("--tls-cipher-suites <names>", "suites of TLS 1.2, by Go's names; those of TLS 1.3 are always on", cipherSuites)
    .option("--client-ca-file <path>", "authority that client certificates are signed by (PEM)", somePath("--client-ca-file"))
    .option("--token-auth-file <path>", 'bearer tokens: lines of token,user,uid,"group1,group2"', somePath("--token-auth-file"))
    .addOption(
      new Option("--anonymous-auth [boolean]", "let clients without credentials ask for health and version; none of them, when false")
        .argParser(booleanValue("--anonymous-auth"))
        .preset("true")
        .default(true),
    )
    .option(
      "--authorization-mode <modes>",
      "which user may do what, in this order: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny (default: Node,RBAC)",
      commaList,
    )
    .option("--service-cluster-ip-range <cidr>", "where Services get their addresses from", serviceRange, "10.96.0.0/12")
    .addOption(
      new Option("--service-node-port-range <range>", "where Services of type NodePort get their ports from")
        .argParser(nodePortRange)
        .default(defaultNodePorts, "30000-32767"),
    )
  addServiceAccountFlags(addKubeletFlags(addFrontProxyFlags(addTokenWebhookFlags(addAuthorizationFlags(command)))))
  addInFlightFlags(command)
  addAdmissionFlags(command)
  command
    .option(
      "--runtime-config <versions>",
      "group versions to turn on: certificates.k8s.io/v1beta1=true,storagemigration.k8s.io/v1beta1=true",
      runtimeConfig,
    )
    .addOption(new Option("--event-ttl <duration>", "how long Events are kept").argParser(goDuration("--event-ttl")).default(hour, "1h"))
    .addOption(new Option("--etcd-servers <urls>", "taken for the sake of scripts: storage is our own").argParser(commaList))
    .addOption(
      new Option("--version [boolean]", "print the version of the Kubernetes API that is served, and end")
        .argParser(booleanValue("--version"))
        .preset("true"),
    )
    .addHelpText("after", ignoredFlagsHelp())
  addIgnoredFlags(command)
  addRefusedFlags(command)
  addAbsentFlags(command)
  command.action(runApiServer)
}

function addAdmissionFlags(command: Command): Command {
  return command
    .option("--enable-admission-plugins <names>", "admission plugins to turn on, beside those that are", commaList)
    .option("--disable-admission-plugins <names>", "admission plugins to turn off", commaList)
    .option(
      "--admission-control-config-file <path>",
      "AdmissionConfiguration of PodSecurity and other plugins (YAML)",
      somePath("--admission-control-config-file"),
    )
    .addOption(
      new Option("--allow-privileged [boolean]", "let containers be privileged; kube-apiserver's default is false, installers set true")
        .argParser(booleanValue("--allow-privileged"))
        .preset("true")
        .default(true),
    )
}

function addAuthorizationFlags(command: Command): Command {
  const ttl = (flag: string) => goDuration(flag, true)
  return command
    .option(
      "--authorization-config <path>",
      "AuthorizationConfiguration: authorizers in their order, with webhooks; followed while the server runs",
      somePath("--authorization-config"),
    )
    .option(
      "--authorization-webhook-config-file <path>",
      "kubeconfig of the server of the mode Webhook",
      somePath("--authorization-webhook-config-file"),
    )
    .option("--authorization-webhook-version <version>", "version of its SubjectAccessReviews: v1, v1beta1 (default: v1beta1)")
    .option(
      "--authorization-webhook-cache-authorized-ttl <duration>",
      "how long its permissions are kept (default: 5m0s)",
      ttl("--authorization-webhook-cache-authorized-ttl"),
    )
    .option(
      "--authorization-webhook-cache-unauthorized-ttl <duration>",
      "how long its refusals are kept (default: 30s)",
      ttl("--authorization-webhook-cache-unauthorized-ttl"),
    )
}

function addTokenWebhookFlags(command: Command): Command {
  return command
    .option(
      "--authentication-token-webhook-config-file <path>",
      "kubeconfig of a server that is asked about tokens that are not known here",
      somePath("--authentication-token-webhook-config-file"),
    )
    .option("--authentication-token-webhook-version <version>", "version of its TokenReviews: v1, v1beta1 (default: v1beta1)")
    .option(
      "--authentication-token-webhook-cache-ttl <duration>",
      "how long its answers are kept (default: 2m0s)",
      goDuration("--authentication-token-webhook-cache-ttl", true),
    )
}

function addServiceAccountFlags(command: Command): void {
  command
    .addOption(
      new Option("--enable-bootstrap-token-auth [boolean]", "let bootstrap tokens, Secrets in kube-system, authenticate joining nodes")
        .argParser(booleanValue("--enable-bootstrap-token-auth"))
        .preset("true")
        .default(false),
    )
    .option("--service-account-issuer <url>", "who signs tokens of service accounts; others, said again, are known too", repeated)
    .option("--service-account-signing-key-file <path>", "key that tokens are signed with (PEM, RSA or ECDSA)")
    .option("--service-account-key-file <path>", "key that tokens are checked with (PEM); can be said again", repeated)
    .option("--api-audiences <names>", "for whom tokens are (default: the issuer)", commaList)
    .addOption(
      new Option(
        "--service-account-extend-token-expiration [boolean]",
        "let the token of a pod that is requested for 3607 s last for a year, and note when it is used after that hour",
      )
        .argParser(booleanValue("--service-account-extend-token-expiration"))
        .preset("true")
        .default(true),
    )
    .addOption(
      new Option("--service-account-max-token-expiration <duration>", "longest life of a token that is requested; 0 for no limit")
        .argParser(goDuration("--service-account-max-token-expiration"))
        .default(0, "0s"),
    )
}

function addInFlightFlags(command: Command): void {
  command
    .option(
      "--max-requests-inflight <number>",
      "requests that only read and are answered at a time; more are refused with 429; 0 for no limit",
      wholeNumber("--max-requests-inflight", 0, 1_000_000),
      defaultInFlight.maxRequests,
    )
    .option(
      "--max-mutating-requests-inflight <number>",
      "requests that write and are answered at a time; more are refused with 429; 0 for no limit",
      wholeNumber("--max-mutating-requests-inflight", 0, 1_000_000),
      defaultInFlight.maxMutatingRequests,
    )
    .option(
      "--http2-max-streams-per-connection <number>",
      "requests on one HTTP/2 connection at a time; 0 for the default, 250",
      wholeNumber("--http2-max-streams-per-connection", 0, 1_000_000),
      0,
    )
}

function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

async function runApiServer(flags: ApiServerFlags): Promise<void> {
  if (flags.version === true) {
    // As kube-apiserver's: scripts read it.
    process.stdout.write(`Kubernetes ${gitVersion}\n`)
    return
  }
  const started = systemClock.elapsed()
  const warnings = [...warningsFor(flags), ...ignoredFlagsIn(flags)]
  for (const warning of warnings) process.stderr.write(`pilothouse: ${warning}\n`)
  using directory = openDataDirectory({
    files: systemFiles,
    system: ownerSystem,
    path: resolve(flags.dataDir),
    ephemeral: flags.ephemeral,
  })
  const host = { hostname: hostname(), addresses: ownAddresses() }
  const log = textLog("warn", undefined, systemClock)
  const seams = { clock: systemClock, random: systemRandom(), files: systemFiles, log, ...host, isOwner: directory.isOwner }
  const kubeconfigPath = join(directory.path, "kubeconfig")
  const kubeconfigRenewed = async (issued: readonly Kubeconfig[], after: Kubeconfig) => {
    // Loaded then: a start does without YAML.
    const { publishRenewed } = await import("../kubeconfig/merge-kubeconfig.ts")
    publishRenewed(systemFiles, [kubeconfigPath], { issued, after, log })
  }
  await using server = await startApiServer({ ...flags, dataDir: directory.path }, { ...seams, kubeconfigRenewed })
  const note = writeKubeconfig(systemFiles, kubeconfigPath, server.kubeconfig)
  if (note !== undefined) process.stderr.write(`pilothouse: ${note}\n`)
  const milliseconds = Math.round(systemClock.elapsed() - started)
  // A program that reads that it is up may stop it in the same moment.
  const stopped = waitForStopSignal(true, directory.lost)
  process.stdout.write(`The API server is up at ${server.url} after ${milliseconds} ms\n  ${exportLine(kubeconfigPath)}\n`)
  await stopped
  process.stdout.write("stopping\n")
}
