/** Plugins of kube-apiserver 1.36 that are not here: their names are known, and turning them on or off changes nothing. */
export const unsupportedAdmissionPlugins: readonly string[] = ["JobValidation", "PodGroupWorkloadExists"]
