// Starts Pilothouse by controller-runtime's envtest and works with a custom kind, as a project made by kubebuilder does.
package envtest_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

var (
	environment *envtest.Environment
	config      *rest.Config
)

func TestMain(m *testing.M) {
	environment = &envtest.Environment{CRDDirectoryPaths: []string{os.Getenv("CRDS")}, ErrorIfCRDPathMissing: true}
	var err error
	if config, err = environment.Start(); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := environment.Stop(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func widget(name string, size int64) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": size}}}
	object.SetGroupVersionKind(kind)
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

func newClient(t *testing.T) client.Client {
	made, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func phase(object *unstructured.Unstructured) string {
	found, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCreateUpdateStatusDelete(t *testing.T) {
	ctx, c := context.Background(), newClient(t)
	object := widget("one", 3)
	must(t, c.Create(ctx, object))
	must(t, unstructured.SetNestedField(object.Object, "Ready", "status", "phase"))
	must(t, c.Status().Update(ctx, object))
	found := widget("one", 0)
	must(t, c.Get(ctx, client.ObjectKeyFromObject(object), found))
	if phase(found) != "Ready" || found.GetGeneration() != 1 {
		t.Fatalf("found phase %q in generation %d", phase(found), found.GetGeneration())
	}
	patched := found.DeepCopy()
	must(t, unstructured.SetNestedField(patched.Object, int64(5), "spec", "size"))
	must(t, c.Patch(ctx, patched, client.MergeFrom(found)))
	if patched.GetGeneration() != 2 {
		t.Fatalf("found generation %d", patched.GetGeneration())
	}
	must(t, c.Delete(ctx, patched))
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), found); !apierrors.IsNotFound(err) {
		t.Fatalf("found %v", err)
	}
}

func TestRefusedUpdateIsConflict(t *testing.T) {
	ctx, c := context.Background(), newClient(t)
	object := widget("conflict", 3)
	must(t, c.Create(ctx, object))
	stale := object.DeepCopy()
	must(t, unstructured.SetNestedField(object.Object, int64(4), "spec", "size"))
	must(t, c.Update(ctx, object))
	if err := c.Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Fatalf("found %v", err)
	}
	must(t, c.Delete(ctx, object))
}

func TestManagerReconciles(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	must(t, err)
	reconciler := reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		object := widget("", 0)
		if err := mgr.GetClient().Get(ctx, request.NamespacedName, object); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if phase(object) == "Reconciled" {
			return reconcile.Result{}, nil
		}
		if err := unstructured.SetNestedField(object.Object, "Reconciled", "status", "phase"); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, mgr.GetClient().Status().Update(ctx, object)
	})
	must(t, ctrl.NewControllerManagedBy(mgr).Named("widgets").For(widget("", 0)).Complete(reconciler))
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	c := newClient(t)
	object := widget("reconciled", 3)
	must(t, c.Create(ctx, object))
	deadline := time.Now().Add(20 * time.Second)
	for phase(object) != "Reconciled" {
		if time.Now().After(deadline) {
			t.Fatal("the manager did not reconcile it within 20 s")
		}
		time.Sleep(50 * time.Millisecond)
		must(t, c.Get(ctx, client.ObjectKeyFromObject(object), object))
	}
	must(t, c.Delete(ctx, object))
	cancel()
	must(t, <-ended)
}

func TestInstallAndUninstall(t *testing.T) {
	ctx, c := context.Background(), newClient(t)
	options := envtest.CRDInstallOptions{Paths: []string{os.Getenv("CRDS")}}
	must(t, c.Create(ctx, widget("left", 3)))
	must(t, envtest.UninstallCRDs(config, options))
	_, err := envtest.InstallCRDs(config, options)
	must(t, err)
	err = newClient(t).Get(ctx, client.ObjectKey{Namespace: "default", Name: "left"}, widget("", 0))
	if !apierrors.IsNotFound(err) {
		t.Fatalf("found %v", err)
	}
}

func TestUserAndKubectl(t *testing.T) {
	user, err := environment.AddUser(envtest.User{Name: "alice", Groups: []string{"system:masters"}}, nil)
	must(t, err)
	kubectl, err := user.Kubectl()
	must(t, err)
	stdout, stderr, err := kubectl.Run("get", "crd", "widgets.example.com", "-o", "name")
	if err != nil {
		t.Fatalf("%v: %v", err, stderr)
	}
	output, err := io.ReadAll(stdout)
	must(t, err)
	if !strings.Contains(string(output), "/widgets.example.com") {
		t.Fatalf("found %q", output)
	}
}
