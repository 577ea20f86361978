import { ensureFrontProxy, type FrontProxy } from "@pilothouse/apiserver"
import { type Files, PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { certificateOf, privateKeyOf } from "../certificates/pem-files.ts"
import { commaList, somePath } from "../flags/flag-values.ts"

/** How extension servers know this server, as the command line gives it. */
export interface FrontProxyFlags {
  readonly proxyClientCertFile?: string
  readonly proxyClientKeyFile?: string
  readonly requestheaderClientCaFile?: string
  readonly requestheaderAllowedNames?: readonly string[]
  readonly requestheaderUsernameHeaders?: readonly string[]
  readonly requestheaderUidHeaders?: readonly string[]
  readonly requestheaderGroupHeaders?: readonly string[]
  readonly requestheaderExtraHeadersPrefix?: readonly string[]
}

/** Adds the flags of kube-apiserver by which it and extension servers know each other. */
export function addFrontProxyFlags(command: Command): Command {
  const names = "names of headers by which extension servers read"
  return command
    .option(
      "--proxy-client-cert-file <path>",
      "client certificate that extension servers know this server by (PEM)",
      somePath("--proxy-client-cert-file"),
    )
    .option("--proxy-client-key-file <path>", "key of that certificate (PEM)", somePath("--proxy-client-key-file"))
    .option("--requestheader-client-ca-file <path>", "authority that signed it (PEM)", somePath("--requestheader-client-ca-file"))
    .option("--requestheader-allowed-names <names>", "common names that it may have (default: any)", commaList)
    .option("--requestheader-username-headers <names>", `${names} the user (default: X-Remote-User)`, commaList)
    .option("--requestheader-uid-headers <names>", `${names} its uid (default: X-Remote-Uid)`, commaList)
    .option("--requestheader-group-headers <names>", `${names} its groups (default: X-Remote-Group)`, commaList)
    .option("--requestheader-extra-headers-prefix <names>", "how those of its extra keys begin (default: X-Remote-Extra-)", commaList)
}

/** Loads the front proxy's certificates that the flags name; without any of the three files our own certificate, made and kept with the others. */
export async function frontProxyOf(
  flags: FrontProxyFlags,
  { files, ...kept }: Parameters<typeof ensureFrontProxy>[0],
): Promise<FrontProxy> {
  const { proxyClientCertFile: certificate, proxyClientKeyFile: key, requestheaderClientCaFile: ca } = flags
  const headers = {
    username: flags.requestheaderUsernameHeaders ?? ["X-Remote-User"],
    uid: flags.requestheaderUidHeaders ?? ["X-Remote-Uid"],
    group: flags.requestheaderGroupHeaders ?? ["X-Remote-Group"],
    extraPrefix: flags.requestheaderExtraHeadersPrefix ?? ["X-Remote-Extra-"],
  }
  const given = [certificate, key, ca].filter((path) => path !== undefined).length
  if (given === 0) return { ...(await ensureFrontProxy({ files, ...kept })), headers }
  if (certificate === undefined || key === undefined || ca === undefined) {
    throw new PilothouseError(
      "USAGE",
      "expected all of --proxy-client-cert-file, --proxy-client-key-file and --requestheader-client-ca-file, or none of them, " +
        `found ${given} of 3; without them a certificate is made`,
    )
  }
  const pair = readPair(files, certificate, key)
  return {
    client: () => pair,
    ca: certificateOf(files, "--requestheader-client-ca-file", ca),
    allowedNames: flags.requestheaderAllowedNames ?? [],
    headers,
  }
}

function readPair(files: Files, certificate: string, key: string) {
  return {
    certificate: certificateOf(files, "--proxy-client-cert-file", certificate),
    key: privateKeyOf(files, "--proxy-client-key-file", key),
  }
}
