/** Controllers of kube-controller-manager 1.36 that are not here, with their older names: a command line that is made for it may name them (kubeadm's does). */
const absent: Readonly<Record<string, string>> = {
  "podgroup-protection-controller": "",
  "resourcepoolstatusrequest-controller": "",
  "selinux-warning-controller": "",
  "storageversion-garbage-collector-controller": "storage-version-gc",
}

const names: ReadonlySet<string> = new Set(Object.entries(absent).flat())

/** Whether a word of --controllers is about a controller that upstream has and we have not. */
export function isUnsupportedController(word: string): boolean {
  const name = word.replace(/^-/, "")
  return name !== "" && names.has(name)
}
