import { PilothouseError } from "@pilothouse/seams"
import { type Command, Option } from "commander"

/** Flags that kube-apiserver once had, or has only just still, and what to say instead. */
export const refusedFlags: Readonly<Record<string, string>> = {
  "admission-control": "use --enable-admission-plugins and --disable-admission-plugins: the order is fixed, and the usual ones are on",
  "insecure-port": "there is no port without TLS: use --secure-port",
  "insecure-bind-address": "there is no port without TLS: use --bind-address",
  "kubelet-https": "leave it out",
}

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
