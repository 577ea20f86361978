// Works with field ownership as programs in Go do, by client-go's apply configurations and by controller-runtime's client, and prints a line of JSON for
// each step: the error, or the object without what differs from server to server. Two servers are alike when the lines are.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingv1ac "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	autoscalingv2ac "k8s.io/client-go/applyconfigurations/autoscaling/v2"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const namespace = "default"

var (
	ctx   = context.Background()
	step  int
	m1    = metav1.ApplyOptions{FieldManager: "m1"}
	m2    = metav1.ApplyOptions{FieldManager: "m2"}
	force = metav1.ApplyOptions{FieldManager: "m2", Force: true}
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Prints what a step came to.
func tell(name string, value any, err error) {
	step++
	line := map[string]any{"step": fmt.Sprintf("%d %s", step, name)}
	if err != nil {
		line["error"] = errorOf(err)
	} else {
		line["value"] = plain(value)
	}
	fmt.Println(string(must(json.Marshal(line))))
}

func errorOf(err error) any {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err.Error()
	}
	details := status.Status()
	causes := []string{}
	if details.Details != nil {
		for _, cause := range details.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s %s", cause.Type, cause.Field, cause.Message))
		}
	}
	sort.Strings(causes)
	return map[string]any{"code": details.Code, "reason": details.Reason, "message": details.Message, "causes": causes}
}

// An object without what time and chance have put in.
func plain(value any) any {
	var object any
	if err := json.Unmarshal(must(json.Marshal(value)), &object); err != nil {
		panic(err)
	}
	fields, isObject := object.(map[string]any)
	if !isObject {
		return object
	}
	if spec, ok := fields["spec"].(map[string]any); ok {
		for _, name := range []string{"clusterIP", "clusterIPs"} {
			delete(spec, name)
		}
	}
	metadata, _ := fields["metadata"].(map[string]any)
	for _, name := range []string{"uid", "resourceVersion", "creationTimestamp"} {
		delete(metadata, name)
	}
	entries, _ := metadata["managedFields"].([]any)
	for _, entry := range entries {
		one := entry.(map[string]any)
		if _, timed := one["time"]; timed {
			one["time"] = "set"
		}
	}
	return object
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	set := must(kubernetes.NewForConfig(config))
	configMaps(set)
	deployments(set)
	otherKinds(set)
	migration(set)
	dynamicClient(must(dynamic.NewForConfig(config)))
	controllerRuntime(must(client.New(config, client.Options{})))
}

func configMaps(set *kubernetes.Clientset) {
	maps := set.CoreV1().ConfigMaps(namespace)
	config := func(data map[string]string) *corev1ac.ConfigMapApplyConfiguration {
		return corev1ac.ConfigMap("go-map", namespace).WithLabels(map[string]string{"app": "a"}).WithData(data)
	}
	apply := func(name string, data map[string]string, options metav1.ApplyOptions) {
		applied, err := maps.Apply(ctx, config(data), options)
		tell(name, applied, err)
	}
	apply("a dry run creates nothing", map[string]string{"a": "1"}, metav1.ApplyOptions{FieldManager: "m1", DryRun: []string{"All"}})
	_, err := maps.Get(ctx, "go-map", metav1.GetOptions{})
	tell("and nothing is there", apierrors.IsNotFound(err), nil)
	apply("no manager", map[string]string{"a": "1"}, metav1.ApplyOptions{})
	apply("create", map[string]string{"a": "1", "b": "1"}, m1)
	apply("create again", map[string]string{"a": "1", "b": "1"}, m1)
	apply("a second manager shares", map[string]string{"a": "1"}, m2)
	apply("a conflict", map[string]string{"a": "2", "b": "2"}, m2)
	apply("force", map[string]string{"a": "2"}, force)
	apply("the first drops a field", map[string]string{"b": "1"}, m1)
	stale := config(map[string]string{"b": "2"}).WithResourceVersion("1")
	_, err = maps.Apply(ctx, stale, m1)
	tell("a stale version is a conflict", apierrors.IsConflict(err), nil)
	live := must(maps.Get(ctx, "go-map", metav1.GetOptions{}))
	wrong := config(nil).WithUID("00000000-0000-4000-8000-000000000001")
	_, err = maps.Apply(ctx, wrong, m1)
	tell("another uid is a conflict", apierrors.IsConflict(err), nil)
	live.Data["b"] = "3"
	updated, err := maps.Update(ctx, live, metav1.UpdateOptions{FieldManager: "updater"})
	tell("an update takes over", updated, err)
	extracted, err := corev1ac.ExtractConfigMap(updated, "m2")
	tell("what the second manager owns is extracted", extracted, err)
	extracted.Data["c"] = "new"
	applied, err := maps.Apply(ctx, extracted, m2)
	tell("and applied with a field more", applied, err)
	patched, err := maps.Patch(ctx, "go-map", types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`), metav1.PatchOptions{})
	tell("ownership is cleared", patched, err)
	apply("and begins again", map[string]string{"d": "1"}, m1)
	tell("delete", "done", maps.Delete(ctx, "go-map", metav1.DeleteOptions{}))
}

func deployments(set *kubernetes.Clientset) {
	apps := set.AppsV1().Deployments(namespace)
	container := func(image string) *corev1ac.ContainerApplyConfiguration {
		return corev1ac.Container().WithName("web").WithImage(image).WithPorts(corev1ac.ContainerPort().WithContainerPort(80)).
			WithEnv(corev1ac.EnvVar().WithName("A").WithValue("1"))
	}
	deployment := func(containers ...*corev1ac.ContainerApplyConfiguration) *appsv1ac.DeploymentApplyConfiguration {
		labels := map[string]string{"app": "go-web"}
		return appsv1ac.Deployment("go-web", namespace).WithSpec(appsv1ac.DeploymentSpec().WithReplicas(2).
			WithSelector(metav1ac.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(corev1ac.PodTemplateSpec().WithLabels(labels).WithSpec(corev1ac.PodSpec().WithContainers(containers...))))
	}
	tell2 := func(name string, value *appsv1.Deployment, err error) { tell(name, value, err) }
	applied, err := apps.Apply(ctx, deployment(container("i:1")), m1)
	tell2("create a Deployment", applied, err)
	applied, err = apps.Apply(ctx, deployment(container("i:2")), m2)
	tell2("another image is a conflict", applied, err)
	sidecar := appsv1ac.Deployment("go-web", namespace).WithSpec(appsv1ac.DeploymentSpec().WithTemplate(corev1ac.PodTemplateSpec().
		WithSpec(corev1ac.PodSpec().WithContainers(corev1ac.Container().WithName("side").WithImage("s:1")))))
	applied, err = apps.Apply(ctx, sidecar, m2)
	tell2("another manager adds a container", applied, err)
	extracted, err := appsv1ac.ExtractDeployment(applied, "m1")
	tell("the first manager's part", extracted, err)
	extracted.Spec.Template.Spec.Containers[0].WithImage("i:3")
	extracted.Spec.Replicas = nil
	applied, err = apps.Apply(ctx, extracted, m1)
	tell2("its image changes and its replicas are given up", applied, err)
	status := appsv1ac.Deployment("go-web", namespace).WithStatus(appsv1ac.DeploymentStatus().WithReplicas(3).
		WithConditions(appsv1ac.DeploymentCondition().WithType(appsv1.DeploymentAvailable).WithStatus(corev1.ConditionTrue).WithReason("R")))
	applied, err = apps.ApplyStatus(ctx, status, m1)
	tell2("its status is applied", applied, err)
	extracted, err = appsv1ac.ExtractDeploymentStatus(applied, "m1")
	tell("and extracted", extracted, err)
	scale, err := apps.ApplyScale(ctx, "go-web", autoscalingv1ac.Scale().WithSpec(autoscalingv1ac.ScaleSpec().WithReplicas(5)),
		metav1.ApplyOptions{FieldManager: "scaler", Force: true})
	tell("its scale is applied", scale, err)
	var scaled *autoscalingv1.Scale
	scaled, err = apps.GetScale(ctx, "go-web", metav1.GetOptions{})
	tell("its scale", scaled, err)
	applied, err = apps.Apply(ctx, deployment(container("i:3")), m1)
	tell2("its replicas belong to the scaler", applied, err)
	twice := corev1ac.Container().WithName("web").WithImage("i").WithPorts(corev1ac.ContainerPort().WithContainerPort(80), corev1ac.ContainerPort().WithContainerPort(80))
	_, err = apps.Apply(ctx, deployment(twice), m1)
	tell("one port twice", nil, err)
	tell("delete the Deployment", "done", apps.Delete(ctx, "go-web", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
}

func otherKinds(set *kubernetes.Clientset) {
	service, err := set.CoreV1().Services(namespace).Apply(ctx, corev1ac.Service("go-svc", namespace).WithSpec(corev1ac.ServiceSpec().
		WithSelector(map[string]string{"a": "b"}).WithPorts(corev1ac.ServicePort().WithName("p").WithPort(80))), m1)
	tell("a Service", service, err)
	service, err = set.CoreV1().Services(namespace).Apply(ctx, corev1ac.Service("go-svc", namespace).WithSpec(corev1ac.ServiceSpec().
		WithPorts(corev1ac.ServicePort().WithName("q").WithPort(81))), m2)
	tell("a port more", service, err)
	pod, err := set.CoreV1().Pods(namespace).Apply(ctx, corev1ac.Pod("go-pod", namespace).WithSpec(corev1ac.PodSpec().WithNodeName("n").
		WithContainers(corev1ac.Container().WithName("c").WithImage("i"))), m1)
	tell("a Pod", pod, err)
	pod, err = set.CoreV1().Pods(namespace).ApplyStatus(ctx, corev1ac.Pod("go-pod", namespace).WithStatus(corev1ac.PodStatus().
		WithPhase(corev1.PodRunning).WithConditions(corev1ac.PodCondition().WithType(corev1.PodReady).WithStatus(corev1.ConditionTrue))), m2)
	tell("its status", pod, err)
	autoscaler, err := set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Apply(ctx, autoscalingv2ac.HorizontalPodAutoscaler("go-hpa", namespace).
		WithSpec(autoscalingv2ac.HorizontalPodAutoscalerSpec().WithMaxReplicas(3).WithScaleTargetRef(
			autoscalingv2ac.CrossVersionObjectReference().WithAPIVersion("apps/v1").WithKind("Deployment").WithName("d"))), m1)
	tell("an autoscaler", autoscaler, err)
	role, err := set.RbacV1().Roles(namespace).Apply(ctx, rbacv1ac.Role("go-role", namespace).WithRules(
		rbacv1ac.PolicyRule().WithAPIGroups("").WithResources("pods").WithVerbs("get")), m1)
	tell("a Role", role, err)
	ingress, err := set.NetworkingV1().Ingresses(namespace).Apply(ctx, networkingv1ac.Ingress("go-ingress", namespace).WithSpec(
		networkingv1ac.IngressSpec().WithRules(networkingv1ac.IngressRule().WithHost("a.test"))), m1)
	tell("an Ingress", ingress, err)
	created, err := set.CoreV1().Namespaces().Apply(ctx, corev1ac.Namespace("go-namespace").WithLabels(map[string]string{"a": "b"}), m1)
	tell("a Namespace", created, err)
	_, err = set.CoreV1().Secrets("missing").Apply(ctx, corev1ac.Secret("go-secret", "missing"), m1)
	tell("in a namespace that is not there", nil, err)
}

// What kubectl does with objects of its client-side apply.
func migration(set *kubernetes.Clientset) {
	maps := set.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "go-migrated"}, Data: map[string]string{"a": "1"}}
	created, err := maps.Create(ctx, object, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"})
	tell("created on the client's side", created, err)
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(created, sets.New("kubectl-client-side-apply"), "kubectl")
	must(patch, err)
	upgraded, err := maps.Patch(ctx, "go-migrated", types.JSONPatchType, patch, metav1.PatchOptions{})
	tell("its manager applies now", upgraded, err)
	applied, err := maps.Apply(ctx, corev1ac.ConfigMap("go-migrated", namespace).WithData(map[string]string{"b": "1"}), metav1.ApplyOptions{FieldManager: "kubectl"})
	tell("and drops its field", applied, err)
}

func dynamicClient(dynamics dynamic.Interface) {
	maps := dynamics.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	object := func(data map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "go-dynamic"}, "data": data}}
	}
	applied, err := maps.Apply(ctx, "go-dynamic", object(map[string]any{"a": "1"}), m1)
	tell("a dynamic client creates", applied, err)
	applied, err = maps.Apply(ctx, "go-dynamic", object(map[string]any{"a": int64(1)}), m1)
	tell("a value of another type", nil, err)
	unknown := object(nil)
	unknown.Object["spec"] = map[string]any{"foo": "bar"}
	_, err = maps.Apply(ctx, "go-dynamic", unknown, m1)
	tell("a field that is not declared", nil, err)
	live := must(maps.Get(ctx, "go-dynamic", metav1.GetOptions{}))
	_, err = maps.Apply(ctx, "go-dynamic", live, m1)
	tell("an object with its managedFields", nil, err)
	_ = applied
}

func controllerRuntime(c client.Client) {
	config := func(data map[string]string) *corev1ac.ConfigMapApplyConfiguration {
		return corev1ac.ConfigMap("go-cr", namespace).WithData(data)
	}
	one := config(map[string]string{"a": "1"})
	err := c.Apply(ctx, one, client.FieldOwner("one"))
	tell("client.Apply creates", one, err)
	err = c.Apply(ctx, config(map[string]string{"a": "2"}), client.FieldOwner("two"))
	tell("client.Apply meets a conflict", nil, err)
	two := config(map[string]string{"a": "2"})
	err = c.Apply(ctx, two, client.FieldOwner("two"), client.ForceOwnership)
	tell("client.Apply by force", two, err)
	dry := config(map[string]string{"a": "3"})
	err = c.Apply(ctx, dry, client.FieldOwner("two"), client.DryRunAll)
	tell("client.Apply as a dry run", dry, err)
	err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "go-cr", "namespace": namespace}, "data": map[string]any{"u": "1"}}}),
		client.FieldOwner("three"))
	tell("client.Apply of an unstructured object", "done", err)
	found := &corev1.ConfigMap{}
	tell("what has become of it", found, c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "go-cr"}, found))
	old := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "go-cr", Namespace: namespace}, Data: map[string]string{"p": "1"}}
	tell("the older Patch with client.Apply", old, c.Patch(ctx, old, client.Apply, client.FieldOwner("four")))
	labels := map[string]string{"app": "go-cr"}
	set := appsv1ac.ReplicaSet("go-cr", namespace).WithSpec(appsv1ac.ReplicaSetSpec().WithReplicas(1).WithSelector(metav1ac.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1ac.PodTemplateSpec().WithLabels(labels).WithSpec(corev1ac.PodSpec().WithContainers(corev1ac.Container().WithName("c").WithImage("i")))))
	tell("a ReplicaSet", set, c.Apply(ctx, set, client.FieldOwner("one")))
	status := appsv1ac.ReplicaSet("go-cr", namespace).WithStatus(appsv1ac.ReplicaSetStatus().WithReplicas(1))
	tell("its status", status, c.Status().Apply(ctx, status, client.FieldOwner("one")))
	tell("its status by another without force", nil, c.Status().Apply(ctx, appsv1ac.ReplicaSet("go-cr", namespace).
		WithStatus(appsv1ac.ReplicaSetStatus().WithReplicas(2)), client.FieldOwner("two")))
	var object runtime.Object = &appsv1.ReplicaSet{}
	tell("the ReplicaSet as it is", object, c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "go-cr"}, object.(*appsv1.ReplicaSet)))
}
