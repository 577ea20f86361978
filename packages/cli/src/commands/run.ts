import { hostname } from "node:os"
import { gitVersion } from "@pilothouse/apiserver"
import type { Flags, GivenSettings } from "@pilothouse/runtime"
import { formatDuration, type Log, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { type Command, Option } from "commander"
import { flagWord } from "../apiserver/ignored-flags.ts"
import { tlsWarnings } from "../apiserver/warnings.ts"
import { asUsage } from "../client/connection.ts"
import { booleanValue, commaList, somePath } from "../flags/flag-values.ts"
import { ownAddresses } from "../process/own-addresses.ts"
import { onHangUp, stopLimit, stopRequest } from "../process/process.ts"
import { checkOwnFiles } from "../run/check-settings.ts"
import { controllerTransports } from "../run/connection/controller-transports.ts"
import { reachability } from "../run/connection/reachability.ts"
import { swappableTransport } from "../run/connection/swappable-transport.ts"
import { checkControllerSettings } from "../run/controllers/check-controller-settings.ts"
import { checkCloudSettings } from "../run/controllers/clouds.ts"
import { tlsLimits } from "../run/endpoints/endpoints.ts"
import { controllerFlags, ownFlags } from "../run/flags/flags.ts"
import { ignoredFlags } from "../run/flags/ignored-flags.ts"
import type { RunSettings } from "../run/flags/run-options.ts"
import { changingLog } from "../run/log.ts"
import { reloading } from "../run/reload.ts"
import { readConfiguration, settingsOf } from "../run/settings.ts"
import { runControllers } from "../run/start.ts"

export function addRunCommand(program: Command): void {
  const command = program
    .command("run")
    .description("run the controllers alone on a cluster that is somewhere, with the flags of kube-controller-manager")
    .option("--config <path>", "a YAML file of flag names and values; flags win over it", somePath("--config"))
    .addOption(
      new Option("--version [boolean]", "print the version of Kubernetes that the controllers are of, and end")
        .argParser(booleanValue("--version"))
        .preset("true"),
    )
  addFlags(command, ownFlags)
  addFlags(command, controllerFlags())
  for (const flag of ignoredFlags) command.addOption(new Option(`${flagWord(flag)} [value]`, "changes nothing here").hideHelp())
  command.addOption(new Option("--master <url>").hideHelp().argParser(refuseMaster))
  command.action((_options, made: Command) => run(made))
}

/** Deprecated upstream, and half of what it takes: who to be there stands in a kubeconfig. */
function refuseMaster(url: string): never {
  throw new PilothouseError("USAGE", `expected --kubeconfig, found --master; name ${url} as the server of a cluster in a kubeconfig`)
}

/** Values stay words until all of them are known: a file may have them too. `--flag` alone means true where that is a value. */
function addFlags(command: Command, flags: Flags): void {
  for (const [name, { about, kind, default: fallback }] of Object.entries(flags)) {
    const value = kind === "true|false" ? "[boolean]" : `<${kind}>`
    const shown = kind === "duration" ? formatDuration(Number(fallback)) : String(fallback)
    // Said for --help only: what was not given is not taken from here.
    const option = new Option(`--${name} ${value}`, about).default(shown === "" ? undefined : fallback, shown)
    command.addOption(kind === "list" ? option.argParser(joined()) : option)
  }
}

/** A list that is said again goes on, as upstream's. What it begins with is the default, which was not said. */
function joined(): (text: string) => readonly string[] {
  let said: readonly string[] = []
  return (text) => {
    said = commaList(text, said)
    return said
  }
}

async function run(command: Command): Promise<void> {
  if (command.opts<{ readonly version?: boolean }>().version === true) return void process.stdout.write(`Kubernetes ${gitVersion}\n`)
  const read = (): RunSettings => {
    const { config } = command.opts<{ readonly config?: string }>()
    const settings = settingsOf(givenWords(command), config === undefined ? {} : readConfiguration(systemFiles, config))
    checkControllerSettings(settings)
    return settings
  }
  const settings = read()
  const { log: changing, change } = changingLog(settings.own)
  const isElected = settings.own["leader-elect"] && !settings.own["dry-run"]
  const renewDeadline = isElected ? settings.own["leader-elect-renew-deadline"] : undefined
  const { log, layer } = reachability({ clock: systemClock, log: changing, renewDeadline })
  const seams = { clock: systemClock, random: systemRandom(), files: systemFiles, log, layer, host: hostname(), addresses: ownAddresses() }
  logIgnored(command, settings, log)
  await checkCloudSettings(settings.own)
  await using connection = await swappableTransport(settings.own, seams).catch((error: unknown) => {
    throw asUsage(error, { kubeconfig: settings.own.kubeconfig || undefined })
  })
  checkOwnFiles(settings.own, seams)
  await using transports = controllerTransports(settings.own, connection, seams)
  using _reloading = onHangUp(reloading({ started: settings, read, change, connections: [connection, transports], log }))
  const { "controller-shutdown-timeout": grace, "leader-elect-retry-period": retryPeriod } = settings.own
  // Work in progress ends, then the Lease is released.
  using stop = stopRequest(false, stopLimit + grace + retryPeriod)
  await runControllers(settings, { connection, transports }, seams, stop.signal)
}

/** What was asked for, and is otherwise here. */
function logIgnored(command: Command, { own, ignored }: RunSettings, log: Log): void {
  const said = saidWords(command).filter(({ hidden }) => hidden)
  const flags = [...new Set([...said.map(({ long }) => long), ...ignored.map((name) => `--${name}`)])]
  if (flags.length > 0) log.warn("flags that change nothing here", { flags: flags.join(", ") })
  if (own["secure-port"] !== 0) for (const warning of tlsWarnings({ tlsMinVersion: tlsLimits(own).minVersion })) log.warn(warning)
}

/** By flag name, only those that were said. */
function givenWords(command: Command): GivenSettings {
  const own = saidWords(command).filter(({ long, hidden }) => long !== "--config" && long !== "--version" && !hidden)
  return Object.fromEntries(own.map((option) => [option.long!.slice(2), command.getOptionValue(option.attributeName())]))
}

/** Those that were said, the ones without effect too. */
function saidWords(command: Command): readonly Option[] {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
}
