/** Who may speak to the real API server: one line each in its token file. Tokens guard nothing: the server lives for one run on the loopback. */
export const users = {
  admin: { token: "admin-token", user: "admin", groups: ["system:masters"] },
  controllerManager: { token: "controller-manager-token", user: "system:kube-controller-manager", groups: [] },
  scheduler: { token: "scheduler-token", user: "system:kube-scheduler", groups: [] },
} as const

export type UserName = keyof typeof users

export function tokenFile(): string {
  const lines = Object.values(users).map(({ token, user, groups }, index) => `${token},${user},${index + 1},"${groups.join(",")}"`)
  return `${lines.join("\n")}\n`
}

/** JSON is YAML: no library is needed to write one. */
export function kubeconfigFor(name: UserName, server: string, ca: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name, user: { token: users[name].token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: name } }],
    "current-context": "real",
  })
}
