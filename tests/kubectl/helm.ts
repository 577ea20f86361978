import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Step } from "./steps.ts"

const files: Readonly<Record<string, string>> = {
  "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '1'\n",
  "values.yaml": "replicas: 2\nimage: example/shop:1\ncolour: blue\n",
  "templates/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: { name: "{{ .Release.Name }}-settings" }
data:
  colour: {{ .Values.colour | quote }}
{{- if .Values.motto }}
  motto: {{ .Values.motto | quote }}
{{- end }}
`,
  "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}" }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: "{{ .Release.Name }}" } }
  template:
    metadata: { labels: { app: "{{ .Release.Name }}" } }
    spec:
      containers:
        - name: shop
          image: {{ .Values.image }}
          ports: [{ containerPort: 8080 }]
`,
  "templates/service.yaml": `apiVersion: v1
kind: Service
metadata: { name: "{{ .Release.Name }}" }
spec:
  selector: { app: "{{ .Release.Name }}" }
  ports: [{ port: 80, targetPort: 8080 }]
`,
}

/** Writes the chart that the steps install, and returns its folder. */
export function writeChart(directory: string): string {
  const chart = join(directory, "shop")
  mkdirSync(join(chart, "templates"), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(chart, name), text)
  return chart
}

/** A command of helm, or of the kubectl of its time. */
export interface HelmStep extends Step {
  readonly with: "helm" | "kubectl"
}

/** In order: the life of a release. Helm 4 applies on the server, Helm 3 by patches of its own. */
export function helmSteps(chart: string, major: string): readonly HelmStep[] {
  const manager = major === "4" ? /^helm Apply$/ : /^helm Update$/
  const helm = (says: RegExp, ...args: readonly string[]): HelmStep => ({ with: "helm", args, says })
  const kubectl = (says: RegExp, ...args: readonly string[]): HelmStep => ({ with: "kubectl", args, says })
  const image = "jsonpath={.spec.template.spec.containers[0].image} {.status.readyReplicas}"
  return [
    helm(/STATUS: deployed\nREVISION: 1/, "install", "shop", chart, "--wait", "--timeout", "60s"),
    kubectl(/^example\/shop:1 2$/, "get", "deployment", "shop", "-o", image),
    kubectl(manager, "get", "configmap", "shop-settings", "-o", "jsonpath={.metadata.managedFields[0]['manager','operation']}"),
    helm(/REVISION: 2/, "upgrade", "shop", chart, "--set", "image=example/shop:2,motto=fast", "--wait", "--timeout", "60s"),
    kubectl(/^example\/shop:2 2$/, "get", "deployment", "shop", "-o", image),
    kubectl(/"motto":"fast"/, "get", "configmap", "shop-settings", "-o", "jsonpath={.data}"),
    helm(/shop\s+default\s+2\s/, "list"),
    helm(/1 +[^\n]+superseded[^\n]+\n2 +[^\n]+deployed/, "history", "shop"),
    helm(/Rollback was a success/, "rollback", "shop", "1", "--wait", "--timeout", "60s"),
    kubectl(/^example\/shop:1 2$/, "get", "deployment", "shop", "-o", image),
    kubectl(/^\{"colour":"blue"\}$/, "get", "configmap", "shop-settings", "-o", "jsonpath={.data}"),
    helm(/3 +[^\n]+deployed[^\n]+Rollback to 1/, "history", "shop"),
    helm(/colour: blue/, "get", "values", "shop", "--all"),
    helm(/release "shop" uninstalled/, "uninstall", "shop", "--wait", "--timeout", "60s"),
    kubectl(/No resources found/, "get", "deployments,services,configmaps,secrets", "-l", "app.kubernetes.io/managed-by=Helm"),
    { ...helm(/release: not found/, "history", "shop"), fails: true },
  ]
}
