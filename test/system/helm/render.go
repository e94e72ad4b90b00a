// Renders a chart as Helm does: with the template engine of Go, Sprig, and the functions that Helm adds to them. Prints
// the files of the templates as JSON.
//
//	render CHART NAME VALUES.json
package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func read(into interface{}, path ...string) {
	text, err := os.ReadFile(filepath.Join(path...))
	check(err)
	check(yaml.Unmarshal(text, into))
}

// Given values win over those of the chart; null removes one of the chart.
func merge(own, given object) object {
	for name, value := range given {
		before, isObject := own[name].(object)
		after, isGiven := value.(object)
		switch {
		case value == nil:
			delete(own, name)
		case isObject && isGiven:
			own[name] = merge(before, after)
		default:
			own[name] = value
		}
	}
	return own
}

func functions(all *template.Template) template.FuncMap {
	found := sprig.TxtFuncMap()
	delete(found, "env")
	delete(found, "expandenv")
	found["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	found["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	found["required"] = func(why string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(why)
		}
		return value, nil
	}
	return found
}

func main() {
	folder, name := os.Args[1], os.Args[2]
	chart, values, given := object{}, object{}, object{}
	read(&chart, folder, "Chart.yaml")
	read(&values, folder, "values.yaml")
	check(json.Unmarshal([]byte(os.Args[3]), &given))
	// Helm writes the names of these fields with a capital.
	title := object{}
	for field, value := range chart {
		title[strings.ToUpper(field[:1])+field[1:]] = value
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	release := object{"Name": name, "Namespace": "default", "Service": "Helm"}
	data := object{"Values": merge(values, given), "Chart": title, "Release": release}
	rendered := map[string]string{}
	for _, file := range files {
		base := filepath.Base(file)
		if strings.HasPrefix(base, "_") {
			continue
		}
		var text strings.Builder
		check(all.ExecuteTemplate(&text, base, data))
		rendered[base] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}
