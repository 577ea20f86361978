import {
  type Client,
  createClient,
  type DefaultTransport,
  type DefaultTransportOptions,
  defaultTransport,
  retrying,
} from "@pilothouse/runtime"
import { type Files, PilothouseError, type Transport } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { type Command, Option } from "commander"
import { somePath } from "../flags/flag-values.ts"

export interface ConnectionOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
}

/** A connection of a command to the cluster that the kubeconfig names. Disposing closes it. */
export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly transport: Transport
  readonly server: string
  /** PEM of what the server is checked by. */
  authorities(): string | undefined
  /** What --namespace says, else the context, else "default". */
  readonly namespace: string
  /** What the context says, else "default": commands that are shown to people need not name it. */
  readonly defaultNamespace: string
}

/** Where `up` leaves the kubeconfig of a cluster that was started in this directory. */
export const localKubeconfig = ".pilothouse/kubeconfig"

/** Adds the flags of every command that connects to a cluster; documented once. */
export function connectionOptions(): readonly Option[] {
  return [
    new Option(
      "--kubeconfig <path>",
      "the cluster to speak to (default: $KUBECONFIG, .pilothouse/kubeconfig here, ~/.kube/config)",
    ).argParser(somePath("--kubeconfig")),
    new Option("--context <name>", "a context of the kubeconfig other than the current one"),
    new Option("-n, --namespace <name>", "the namespace (default: the context's, or default)"),
  ]
}

export function addConnectionOptions(command: Command): Command {
  for (const option of connectionOptions()) command.addOption(option)
  return command
}

/** Reads the kubeconfig now, and opens a connection with the first request. `where` wins over the usual kubeconfigs. */
export async function openConnection(
  options: ConnectionOptions,
  where?: Pick<DefaultTransportOptions, "kubeconfig" | "files" | "inlineOnly">,
): Promise<Connection> {
  const opened: DefaultTransport = await defaultTransport({
    ...(where ?? chosenKubeconfig(options.kubeconfig, kubeconfigOfEnvironment(), systemFiles)),
    context: options.context,
    // A person waits for it: as long as kubectl does.
    connectTimeout: "10s",
  }).catch((error: unknown) => {
    throw asUsage(where === undefined ? withLocal(error, kubeconfigOfEnvironment()) : error, options)
  })
  const transport = retrying(opened.transport, { clock: systemClock, random: systemRandom() })
  return {
    client: createClient(transport, { userAgent: "pilothouse-cli", clock: systemClock }),
    transport,
    server: opened.server,
    authorities: () => opened.authorities(),
    namespace: options.namespace ?? opened.namespace,
    defaultNamespace: opened.namespace,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** Returns the files of KUBECONFIG, which kubectl reads before ~/.kube/config. */
export function kubeconfigOfEnvironment(): string | undefined {
  return process.env.KUBECONFIG || undefined
}

/** A file or context that a flag names, and that is not there or no good, is a wrong value of that flag. */
export function asUsage(error: unknown, { kubeconfig, context }: ConnectionOptions): unknown {
  const isFlag = kubeconfig !== undefined || context !== undefined
  const isAboutIt = error instanceof PilothouseError && ["FILE", "INVALID", "NO_CLUSTER"].includes(error.code)
  return isFlag && isAboutIt ? new PilothouseError("USAGE", error.message, { cause: error }) : error
}

/** The runtime knows nothing of `up`: where there is no cluster at all, it is said where one of it was looked for, and how to get one. */
export function withLocal(error: unknown, environment: string | undefined): unknown {
  if (!(error instanceof PilothouseError) || error.code !== "NO_CLUSTER" || environment !== undefined) return error
  const here = `there is no ${localKubeconfig} in this directory either: start a cluster that leaves one with "npx @pilothouse/cli up"`
  return new PilothouseError(error.code, `${error.message}; ${here}`, { cause: error.cause })
}

/**
 * Chooses the kubeconfig. A flag wins; a cluster that was started here comes before one that is somewhere. Empty: what kubectl would read.
 * The file of this directory was not named by the user, and may have come with a cloned repository: only what `up` writes is taken from it.
 */
export function chosenKubeconfig(
  asked: string | undefined,
  environment: string | undefined,
  files: Pick<Files, "facts">,
): Pick<DefaultTransportOptions, "kubeconfig" | "inlineOnly"> {
  if (asked !== undefined) return { kubeconfig: asked }
  if (environment !== undefined && environment !== "") return {}
  return files.facts(localKubeconfig) === undefined ? {} : { kubeconfig: localKubeconfig, inlineOnly: true }
}
