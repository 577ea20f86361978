import { hostname } from "node:os"
import type { Flags, GivenSettings } from "@pilothouse/runtime"
import { formatDuration } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { type Command, Option } from "commander"
import { asUsage } from "../client/connection.ts"
import { somePath } from "../flag-values.ts"
import { onHangUp, stopRequest } from "../process.ts"
import { checkOwnFiles } from "../run/check-settings.ts"
import { checkCloudSettings } from "../run/clouds.ts"
import { loopFlags, ownFlags } from "../run/flags.ts"
import { ignoredFlags } from "../run/ignored-flags.ts"
import { changingLog } from "../run/log.ts"
import { loopTransports } from "../run/loop-transports.ts"
import { reachability } from "../run/reachability.ts"
import { reloading } from "../run/reload.ts"
import { type RunSettings, readConfiguration, settingsOf } from "../run/settings.ts"
import { runControllers } from "../run/start.ts"
import { swappableTransport } from "../run/swappable-transport.ts"

export function addRunCommand(program: Command): void {
  const command = program
    .command("run")
    .description("run the controllers alone on a cluster that is somewhere, with the flags of kube-controller-manager")
    .option("--config <path>", "a YAML file of flag names and values; flags win over it", somePath("--config"))
  addFlags(command, ownFlags)
  addFlags(command, loopFlags())
  for (const flag of ignoredFlags) command.addOption(new Option(`--${flag} [value]`, "changes nothing here").hideHelp())
  command.action((_options, made: Command) => run(made))
}

/** Values stay words until all of them are known: a file may have them too. `--flag` alone means true where that is a value. */
function addFlags(command: Command, flags: Flags): void {
  for (const [name, { about, kind, default: fallback }] of Object.entries(flags)) {
    const value = kind === "true|false" ? "[boolean]" : `<${kind}>`
    const shown = kind === "duration" ? formatDuration(Number(fallback)) : String(fallback)
    // Said for --help only: what was not given is not taken from here.
    command.addOption(new Option(`--${name} ${value}`, about).default(shown === "" ? undefined : fallback, shown))
  }
}

async function run(command: Command): Promise<void> {
  const read = (): RunSettings => {
    const { config } = command.opts<{ readonly config?: string }>()
    return settingsOf(givenWords(command), config === undefined ? {} : readConfiguration(systemFiles, config))
  }
  const settings = read()
  const { log: changing, change } = changingLog(settings.own)
  const isElected = settings.own["leader-elect"] && !settings.own["dry-run"]
  const renewDeadline = isElected ? settings.own["leader-elect-renew-deadline"] : undefined
  const { log, layer } = reachability({ clock: systemClock, log: changing, renewDeadline })
  const seams = { clock: systemClock, random: systemRandom(), files: systemFiles, log, layer, host: hostname() }
  const ignored = saidWords(command).filter(({ hidden }) => hidden)
  if (ignored.length > 0) log.warn("flags that change nothing here", { flags: ignored.map(({ long }) => long).join(", ") })
  await checkCloudSettings(settings.own)
  await using connection = await swappableTransport(settings.own, seams).catch((error: unknown) => {
    throw asUsage(error, { kubeconfig: settings.own.kubeconfig || undefined })
  })
  checkOwnFiles(settings.own, systemFiles)
  await using transports = loopTransports(settings.own, connection, seams)
  using _reloading = onHangUp(reloading({ started: settings, read, change, connections: [connection, transports], log }))
  using stop = stopRequest()
  await runControllers(settings, { connection, transports }, seams, stop.signal)
}

/** By flag name, only those that were said. */
function givenWords(command: Command): GivenSettings {
  const own = saidWords(command).filter(({ long, hidden }) => long !== "--config" && !hidden)
  return Object.fromEntries(own.map((option) => [option.long!.slice(2), command.getOptionValue(option.attributeName())]))
}

/** Those that were said, the ones without effect too. */
function saidWords(command: Command): readonly Option[] {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
}
