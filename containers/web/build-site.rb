#!/usr/bin/ruby
# frozen_string_literal: true

# Builds the Jekyll site in source/ into site/, as GitHub Pages would, and writes to report.json
# what happened. It states facts only; renderers/web_site.py decides what they mean.
#
# Nothing here is a security boundary: this runs in a container that has nothing to lose.

require "json"
require "jekyll"

# Time stands still, so that {{ site.time }} and {{ "now" | date }} are the same in every build.
STANDSTILL = Integer(ENV.fetch("SOURCE_DATE_EPOCH"))

class Time
  def self.now(**) = Time.at(STANDSTILL)
end

class Date
  def self.today(*) = Time.now.to_date
end

class DateTime
  def self.now(*) = Time.now.to_datetime
end

# The plug-ins that every site has: those that GitHub Pages switches on by itself, and those that only
# add tags and files (themes use them without naming them).
ALWAYS = %w[
  jekyll-default-layout jekyll-feed jekyll-include-cache jekyll-optional-front-matter
  jekyll-paginate jekyll-readme-index jekyll-relative-links jekyll-seo-tag
  jekyll-titles-from-headings
].freeze

# The plug-ins that a site has to name.
OFFERED = %w[jekyll-gist jekyll-mentions jekyll-redirect-from jekyll-sitemap].freeze

# Remembers which data file is being read, since the errors of its parsers name none.
module Reading
  class << self
    attr_accessor :file
  end

  def read_data_file(path)
    Reading.file = path
    super.tap { Reading.file = nil }
  end
end

Jekyll::DataReader.prepend(Reading)

# Collects what Jekyll logs, with its level; the first messages matter, a flood does not.
class Log
  MOST = 200
  attr_reader :lines
  attr_accessor :level

  def initialize = @lines = []
  def debug(*) = nil
  def info(*) = nil
  def warn(text = nil) = add("warning", text || yield)
  def error(text = nil) = add("error", text || yield)

  private

  def add(level, text)
    plain = text.to_s.gsub(/\e\[[0-9;]*m/, "").strip
    @lines << [level, plain[0, 2000]] if @lines.size < MOST && !plain.empty?
  end
end

def string_list(value) = Array(value).grep(String)

def installed?(gem) = !Gem::Specification.find_all_by_name(gem).empty?

# Reads the site's own settings and puts ours above them.
def configure(report)
  Reading.file = "_config.yml"
  own = Jekyll.configuration("source" => "source")
  Reading.file = nil
  asked = (string_list(own["plugins"]) + string_list(own["gems"])).uniq - ALWAYS
  report["plugins_absent"] = asked - OFFERED
  report["baseurl"] = own["baseurl"].to_s
  report["theme"] = theme(own)
  config = Jekyll.configuration(
    "source"             => "source",
    "destination"        => "site",
    "safe"               => true,
    "whitelist"          => ALWAYS + OFFERED,
    "plugins"            => ALWAYS + (asked & OFFERED),
    "url"                => ENV.fetch("RERENDER_ORIGIN"),
    "time"               => Time.now,
    "future"             => true,
    "incremental"        => false,
    "disable_disk_cache" => true
  )
  config["gems"] = nil # merging keeps the old value where the new one is nil
  config["theme"] = report["theme"]["use"]
  config
end

# A site that brings its own layouts does not need the theme that it names.
def theme(own)
  named = own["theme"].is_a?(String) && !own["theme"].empty? ? own["theme"] : nil
  remote = own["remote_theme"].is_a?(String) ? own["remote_theme"] : nil
  layouts = File.directory?(File.join("source", own["layouts_dir"].to_s))
  use = named if named && installed?(named)
  { "named" => named, "remote" => remote, "use" => use, "own_layouts" => layouts }
end

def build(report)
  config = configure(report)
  theme = report["theme"]
  lacking = theme["named"] && !theme["use"] && !theme["own_layouts"]
  return if theme["remote"] || lacking

  Jekyll::Site.new(config).process
  report["built"] = true
end

log = Log.new
Jekyll.logger = log
report = { "built" => false, "error" => nil }
begin
  build(report)
rescue SystemExit, StandardError, SystemStackError, NoMemoryError, ScriptError => e
  report["error"] = { "class" => e.class.name, "message" => e.message.to_s.scrub[0, 2000],
                      "file" => Reading.file }
end
report["log"] = log.lines
File.write("report.json", JSON.generate(report))
