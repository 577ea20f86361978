import type { ConfigurationSeams, TokenWebhookOptions } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Seams } from "./start.ts"

/** A server that answers reviews. Disposing closes its connections. */
export interface ConnectedReviewServer extends AsyncDisposable {
  readonly server: Awaited<ReturnType<ConfigurationSeams["connect"]>>
}

/** Reads the kubeconfig of a webhook: its address has the path, its user the credentials of this server. */
export async function connectReviewServer(
  kubeconfig: string,
  { clock, files }: Pick<Seams, "clock" | "files">,
): Promise<ConnectedReviewServer> {
  const { defaultTransport } = await import("./outgoing-connections.ts")
  const opened = await defaultTransport({ kubeconfig, clock, files })
  return { server: { transport: opened.transport, path: "" }, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

/** Flags of the server that is asked whose a token is. */
export interface TokenWebhookFlags {
  readonly authenticationTokenWebhookConfigFile?: string
  readonly authenticationTokenWebhookVersion?: string
  /** Milliseconds. */
  readonly authenticationTokenWebhookCacheTtl?: number
}

/** Milliseconds of one try; all of them together have as long. */
const timeout = 30_000
const flag = "--authentication-token-webhook-config-file"

/** Returns how the webhook of the flags is called; undefined where they name none. */
export async function tokenWebhookOf(
  flags: TokenWebhookFlags,
  seams: Pick<Seams, "clock" | "files" | "log" | "random">,
  opened: AsyncDisposableStack,
): Promise<TokenWebhookOptions | undefined> {
  const { authenticationTokenWebhookConfigFile: file, authenticationTokenWebhookCacheTtl: cacheTtl = 120_000 } = flags
  const version = flags.authenticationTokenWebhookVersion ?? "v1beta1"
  if (file === undefined) return undefined
  if (version !== "v1" && version !== "v1beta1") {
    const known = 'supported versions are "v1", "v1beta1"'
    throw new PilothouseError("USAGE", `unsupported authentication webhook version "${version}", ${known}`)
  }
  const { clock, random, log } = seams
  try {
    const { server } = opened.use(await connectReviewServer(file, seams))
    return { clock, random, log, server, timeout, version, cacheTtl }
  } catch (error) {
    throw new PilothouseError("USAGE", `${flag}: ${messageOf(error)}`, { cause: error })
  }
}
