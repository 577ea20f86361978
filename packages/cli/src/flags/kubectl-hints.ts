import { PilothouseError } from "@pilothouse/seams"
import { Option } from "commander"

/** What is left to kubectl, which works with every cluster here. */
const kubectlWords: ReadonlySet<string> = new Set(
  [
    "annotate api-resources api-versions attach autoscale certificate cluster-info config cordon cp create debug describe diff drain",
    "edit events exec expose kustomize label patch plugin port-forward proxy replace rollout scale set taint uncordon wait",
  ].flatMap((line) => line.split(" ")),
)

/** Returns a hint for a command of kubectl that is not one of ours. */
export function kubectlHint(word: string): string | undefined {
  return kubectlWords.has(word) ? `kubectl does that: kubectl ${word} … works with the same kubeconfig` : undefined
}

/** `-k` of apply and delete: known, to say who does it. */
export function kustomizeOption(command: "apply" | "delete"): Option {
  return new Option("-k, --kustomize <directory>").hideHelp().argParser((directory: string) => {
    throw new PilothouseError(
      "USAGE",
      `expected --filename, found --kustomize; kubectl does that: kubectl ${command} -k ${directory}, or kubectl kustomize ${directory} | pilothouse ${command} -f -`,
    )
  })
}
